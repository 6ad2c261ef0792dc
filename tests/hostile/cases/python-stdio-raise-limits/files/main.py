import resource
resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
numbers = [int(word) for word in input().split()]
print(sum(numbers))
print(len(numbers))
