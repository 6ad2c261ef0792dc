/* What the parts of the fork server share, and the functions of Python that they call: no header of Python's is needed. */
#ifndef ZYGOTE_H
#define ZYGOTE_H
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

extern char **environ;
extern void *PyExc_ImportError, *PyExc_OSError, *PyExc_KeyboardInterrupt, *PyErr_Occurred(void);
extern void PyErr_SetString(void *type, const char *message), PyErr_Print(void), PyErr_Clear(void);
extern void PyErr_Fetch(void **type, void **value, void **traceback), PyErr_Restore(void *type, void *value, void *traceback);
struct method { const char *name; void *call; int flags; const char *doc; }; /* PyMethodDef */
extern void *PyCFunction_NewEx(struct method *method, void *self, void *module), *PyBool_FromLong(long value);
extern void *PySys_GetObject(const char *name), *PyImport_AddModule(const char *name), *PyModule_GetDict(void *module);
extern void *PyTuple_GetItem(void *tuple, ssize_t index), *PyDict_GetItem(void *dict, void *key);
extern void *PyBytes_FromStringAndSize(const char *text, ssize_t size), *PyUnicode_EncodeFSDefault(void *text), *PyErr_SetFromErrno(void *type);
extern void *PyObject_CallFunctionObjArgs(void *callable, ...), *PyObject_CallMethod(void *object, const char *name, const char *format, ...);
extern void *PyObject_Call(void *callable, void *arguments, void *keywords), *PyEval_EvalCode(void *code, void *globals, void *locals);
extern void *PyInstanceMethod_New(void *function), *PyObject_GetAttrString(void *object, const char *name), *PyList_New(ssize_t size);
extern void *PyList_GetItem(void *list, ssize_t index);
extern char *PyBytes_AsString(void *bytes);
extern int PySys_SetObject(const char *name, void *value), PySys_Audit(const char *event, const char *format, ...);
extern int PySys_AddAuditHook(int (*hook)(const char *, void *, void *), void *data), PyDict_DelItemString(void *dict, const char *key);
extern int PyObject_RichCompareBool(void *one, void *other, int operation), PyObject_IsTrue(void *object), Py_FinalizeEx(void);
extern int PyDict_Next(void *dict, ssize_t *place, void **key, void **value), PyDict_DelItem(void *dict, void *key);
extern int PyList_Append(void *list, void *item);
extern ssize_t PyTuple_Size(void *tuple), PyBytes_Size(void *bytes), PyList_Size(void *list);
extern struct none _Py_NoneStruct;
extern void Py_IncRef(void *object), Py_DecRef(void *object);
extern void PyOS_BeforeFork(void), PyOS_AfterFork_Parent(void), PyOS_AfterFork_Child(void);

extern int launcher; /* the number of the socket; 0: there is none */

/* What a process has used. */
struct use { int64_t cpu_us, peak_kb; };

/* forks.c: one fork for each run */
struct rusage;
struct use used_by(const struct rusage *usage);
void send_answer(int status, struct use use);
int wait_for(pid_t child, struct rusage *usage);
int fork_run(const char *folder, struct use before);
char *begin(const char *word);
void *serve_forks(void *self, void *nothing);

/* files.c: what a script was compiled from */
void *read_kept(void *self, void *path);
int is_as_kept(const char *path);
int are_as_kept(void);

/* imports.c: importing what was compiled before */
void *serve_imports(void *self, void *arguments);
void *keep_modules(void *self, void *nothing);
void *added_modules(void *self, void *nothing);

/* keeper.c: forks of a script that was compiled before, and servers for one tree after the other */
void *serve_keepers(void *(*prepare)(void));
void *serve_trees(void *self, void *nothing);
void wait_for_order(void);
void note_run(int is_running), leave_notes(void);

/* script.c: what the interpreter does with its script */
void *serve_script(void *self, void *arguments);
void *script_ended(void *self, void *nothing);
#endif
