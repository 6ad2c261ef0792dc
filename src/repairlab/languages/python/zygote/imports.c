/* Imports of files that were compiled before: found and read without going through the interpreter's own search, which is in Python.
 *
 * What is answered here is what the search would find: the first place to look is the folder of the script, nothing in it has changed,
 * and the file still holds the text that was compiled. In all other cases the interpreter's own functions answer. */
#include "zygote.h"
#include <sys/stat.h>

enum { MAX_MODULES = 512 };

static void *codes, *specs;            /* what is compiled, by path; what would be found, by name */
static void *finds_spec, *gets_code;   /* the interpreter's own functions */
static void *ways, *way[3];            /* sys.meta_path: what is built in, what is frozen, and the search */
static void *search, *folder, *finders, *finder; /* sys.path and its first entry, sys.path_importer_cache and what that has for it */
static struct stat listed;             /* the folder, as it was when the search was tried */
static struct { void *name, *module; } modules[MAX_MODULES];
static void *loaded;
static int n_modules;

static int are_ways_as_kept(void)
{
    int same = PySys_GetObject("meta_path") == ways && PyList_Size(ways) == 3;
    for (ssize_t i = 0; i < 3 && same; i++)
        same = PyList_GetItem(ways, i) == way[i];
    return same;
}

/* Whether the search would begin in the folder of the script, and find what was found there. */
static int is_search_as_kept(void)
{
    struct stat now;
    void *path = PySys_GetObject("path"), *cache = PySys_GetObject("path_importer_cache"), *name;
    if (!search || path != search || cache != finders || PyList_GetItem(path, 0) != folder || PyDict_GetItem(cache, folder) != finder ||
        !are_ways_as_kept() || !(name = PyUnicode_EncodeFSDefault(folder))) {
        PyErr_Clear();
        return 0;
    }
    int same = !stat(PyBytes_AsString(name), &now) && now.st_mtim.tv_sec == listed.st_mtim.tv_sec &&
               now.st_mtim.tv_nsec == listed.st_mtim.tv_nsec && now.st_ino == listed.st_ino;
    Py_DecRef(name);
    return same;
}

/* Finds a module: find_spec(name, path=None, target=None). Stands in for the first way, which knows none of these names, nor does the
 * second. Each is found once: a second import makes new objects. */
static void *find_known(void *self, void *arguments, void *keywords)
{
    const ssize_t size = PyTuple_Size(arguments);
    void *name = size > 0 ? PyTuple_GetItem(arguments, 0) : NULL;
    void *found = name && !keywords && (size < 2 || PyTuple_GetItem(arguments, 1) == &_Py_NoneStruct) ? PyDict_GetItem(specs, name) : NULL;
    (void)self;
    if (!found || !is_search_as_kept())
        return PyObject_Call(finds_spec, arguments, keywords);
    Py_IncRef(found);
    if (PyDict_DelItem(specs, name))
        PyErr_Clear();
    return found;
}

/* Returns the code of a module's file: get_code(loader, name). */
static void *code_of_known(void *self, void *arguments, void *keywords)
{
    void *path = PyTuple_Size(arguments) == 2 ? PyObject_GetAttrString(PyTuple_GetItem(arguments, 0), "path") : NULL;
    void *found = path ? PyDict_GetItem(codes, path) : NULL, *name = found ? PyUnicode_EncodeFSDefault(path) : NULL;
    (void)self;
    if (path)
        Py_DecRef(path); /* its loader has it, too */
    PyErr_Clear();
    int same = name && is_as_kept(PyBytes_AsString(name));
    if (name)
        Py_DecRef(name);
    if (!same)
        return PyObject_Call(gets_code, arguments, keywords);
    if (PySys_Audit("open", "Osi", path, "rb", 0) < 0 || PySys_Audit("compile", "OO", PyTuple_GetItem(found, 0), path) < 0)
        return NULL;
    found = PyTuple_GetItem(found, 1);
    Py_IncRef(found);
    return found;
}

/* Takes dicts of codes and of specs, and the interpreter's own find_spec and get_code; returns what stands in for these. */
void *serve_imports(void *self, void *arguments)
{
    static struct method find = {"find_spec", (void *)find_known, 3 /* METH_VARARGS | METH_KEYWORDS */, NULL};
    static struct method get = {"get_code", (void *)code_of_known, 3, NULL};
    void *pair = PyList_New(0), *finding = PyCFunction_NewEx(&find, NULL, NULL), *getting = PyCFunction_NewEx(&get, NULL, NULL);
    void *method = getting ? PyInstanceMethod_New(getting) : NULL;
    (void)self;
    if (PyTuple_Size(arguments) != 4 || !pair || !finding || !method || PyList_Append(pair, finding) || PyList_Append(pair, method))
        return NULL;
    codes = PyTuple_GetItem(arguments, 0);
    specs = PyTuple_GetItem(arguments, 1);
    finds_spec = PyTuple_GetItem(arguments, 2);
    gets_code = PyTuple_GetItem(arguments, 3);
    for (ssize_t i = 0; i < 4; i++)
        Py_IncRef(PyTuple_GetItem(arguments, i));
    return pair;
}

/* Remembers which modules are loaded, and where a search begins. */
void *keep_modules(void *self, void *nothing)
{
    ssize_t place = 0;
    void *name;
    (void)self, (void)nothing;
    loaded = PySys_GetObject("modules");
    for (n_modules = 0; n_modules < MAX_MODULES && PyDict_Next(loaded, &place, &modules[n_modules].name, &modules[n_modules].module);)
        n_modules++;
    search = PySys_GetObject("path");
    finders = PySys_GetObject("path_importer_cache");
    folder = PyList_GetItem(search, 0);
    finder = folder ? PyDict_GetItem(finders, folder) : NULL;
    ways = PySys_GetObject("meta_path");
    for (ssize_t i = 0; i < 3 && ways; i++)
        way[i] = PyList_GetItem(ways, i);
    if (!ways || !finder || !(name = PyUnicode_EncodeFSDefault(folder)) || stat(PyBytes_AsString(name), &listed))
        search = NULL;
    else
        Py_IncRef(folder);
    PyErr_Clear();
    return PyBool_FromLong(1);
}

/* Returns a list of the names of modules that were loaded since; none when others are no longer what they were. No reference is
 * counted on the way: each would cost a run a page. */
void *added_modules(void *self, void *nothing)
{
    ssize_t place = 0;
    void *name, *module, *added = PyList_New(0), *now = PySys_GetObject("modules");
    int seen = 0, same = added && now && now == loaded;
    (void)self, (void)nothing;
    for (; same && PyDict_Next(now, &place, &name, &module); seen++)
        same = seen < n_modules ? name == modules[seen].name && module == modules[seen].module : !PyList_Append(added, name);
    if (same && seen >= n_modules)
        return added;
    PyErr_Clear();
    Py_IncRef(&_Py_NoneStruct);
    return &_Py_NoneStruct;
}
