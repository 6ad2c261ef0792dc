#include <unistd.h>
#include <sys/wait.h>

int main(void)
{
    for (int i = 0; i < 8; i++)
        if (fork() == 0)
            for (;;)
                ;
    while (wait(NULL) > 0)
        ;
}
