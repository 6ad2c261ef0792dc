/* What the interpreter does with its script: compiled ahead, by one function of ours in Python, and then run to its end. */
#include "zygote.h"
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void *filename, *preparing; /* the script; who compiles */
static int has_ended;

/* Returns the code of the script, or NULL when the interpreter had better read it by itself: it has something to say then. */
static void *prepare(void)
{
    void *code = PyObject_CallFunctionObjArgs(preparing, filename, NULL);
    PyErr_Clear();
    return code;
}

static void flush(const char *name)
{
    void *type, *value, *traceback, *stream = PySys_GetObject(name);
    PyErr_Fetch(&type, &value, &traceback);
    void *done = stream ? PyObject_CallMethod(stream, "flush", NULL) : NULL;
    if (done)
        Py_DecRef(done);
    PyErr_Clear();
    PyErr_Restore(type, value, traceback);
}

/* Does what the interpreter does with a script from here to the end. */
static void run_script(void *code) __attribute__((noreturn));
static void run_script(void *code)
{
    void *names = PyModule_GetDict(PyImport_AddModule("__main__"));
    void *done = PyEval_EvalCode(code, names, names);
    int interrupted = !done && PyErr_Occurred() == PyExc_KeyboardInterrupt, status = !done;
    flush("stderr");
    flush("stdout");
    if (done)
        Py_DecRef(done);
    else
        PyErr_Print();
    if (PyDict_DelItemString(names, "__file__") || PyDict_DelItemString(names, "__cached__"))
        PyErr_Clear();
    has_ended = 1;
    if (Py_FinalizeEx() < 0)
        status = 120;
    if (interrupted) {
        signal(SIGINT, SIG_DFL);
        kill(getpid(), SIGINT);
    }
    exit(status);
}

/* Is called by the interpreter for what it does; its script runs in here. */
static int at_event(const char *event, void *arguments, void *data)
{
    (void)data;
    if (strncmp(event, "cpython.run_", 12) || filename)
        return 0;
    if (strcmp(event, "cpython.run_file")) { /* a folder or an archive by the name of the script */
        if (launcher > 0)
            _exit(1);
        return 0;
    }
    filename = PyTuple_GetItem(arguments, 0);
    Py_IncRef(filename);
    void *code = launcher > 0 ? serve_keepers(prepare) : prepare();
    Py_DecRef(preparing); /* its module knows the streams, which are closed when nobody knows them */
    if (code)
        run_script(code);
    return 0;
}

/* Takes who compiles. */
void *serve_script(void *self, void *who)
{
    (void)self;
    if (PySys_AddAuditHook(at_event, NULL))
        return NULL;
    Py_IncRef(who);
    preparing = who;
    return PyBool_FromLong(1);
}

/* Says whether the interpreter ends because its script has, and not for an exit on the way. */
void *script_ended(void *self, void *nothing)
{
    (void)self, (void)nothing;
    return PyBool_FromLong(has_ended);
}

