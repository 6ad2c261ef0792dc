/* Turns a Python process that has loaded into a fork server: every run of its program is a fork that goes on from here.
 *
 * `import _zygote` leaves functions behind in `sys` when REPAIRLAB_FORK_SERVER is there: the number of a socket to the launcher, 0 in
 * a process that serves nobody. `serve_trees` returns in a fork for each tree, which then serves. A message on that socket brings a run's descriptors 0 to 3; the answer says how the run ended and what
 * it used. `serve_forks` returns only in the forks, or at once where no forks are wanted: all that is here is the same in both, so that
 * objects lie where they lie in a new process. `serve_script` is for scripts: when the interpreter comes to its script, a fork
 * of the server (the keeper) compiles it, and forks for each run as long as the file stays the same; only these forks execute it.
 * The import always ends in an ImportError, so that the interpreter keeps no module of ours; no header of Python's is needed. */
#include "zygote.h"
#include <stdlib.h>
#include <string.h>

int launcher;

/* Returns the number of the socket, or 0 when there is none, and wipes the variable out: /proc shows it even after unsetenv. */
static int take_variable(void)
{
    static const char name[] = "REPAIRLAB_FORK_SERVER=";
    int number = 0;
    char **kept = environ;
    for (char **variable = environ; *variable; variable++)
        if (strncmp(*variable, name, strlen(name)))
            *kept++ = *variable;
        else {
            number = atoi(*variable + strlen(name));
            memset(*variable, 0, strlen(*variable));
        }
    *kept = NULL;
    return number;
}

void *PyInit__zygote(void)
{
    static struct method methods[] = {
        {"script_ended", (void *)script_ended, 4 /* METH_NOARGS */, NULL},
        {"serve_script", (void *)serve_script, 8 /* METH_O */, NULL},
        {"serve_imports", (void *)serve_imports, 1 /* METH_VARARGS */, NULL},
        {"keep_modules", (void *)keep_modules, 4, NULL},
        {"added_modules", (void *)added_modules, 4, NULL},
        {"read_kept", (void *)read_kept, 8, NULL},
        {"serve_forks", (void *)serve_forks, 4, NULL},
        {"serve_trees", (void *)serve_trees, 4, NULL},
    };
    launcher = launcher ? launcher : take_variable();
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) { /* whoever imports this takes them away */
        void *function = PyCFunction_NewEx(&methods[i], NULL, NULL);
        PySys_SetObject(methods[i].name, function);
        Py_DecRef(function);
    }
    PyErr_SetString(PyExc_ImportError, "the fork server is no module");
    return NULL;
}
