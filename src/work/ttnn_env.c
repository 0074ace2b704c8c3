/* SPDX-License-Identifier: Apache-2.0 */
#include "work/ttnn_env.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json_read.h"
#include "base/json_write.h"
#include "base/outfile.h"
#include "input/kinds.h"

static const char hook[] =
    "# Written by ttmem run --ttnn-report: captures what ttnn does on devices that this program opens.\n"
    "import atexit, importlib.machinery, importlib.util, os, sys\n"
    "_here = os.path.dirname(os.path.abspath(__file__))\n"
    "sys.path[:] = [p for p in sys.path if os.path.abspath(p or '.') != _here]\n"
    "def _after(ttnn):\n"
    "    graph = ttnn.graph\n"
    "    if 'pytest' in sys.modules or not hasattr(graph, 'end_graph_capture_to_file'): return\n"
    "    state = {'mine': False, 'count': 0}\n"
    "    def begin():\n"
    "        if state['mine'] or graph.is_graph_capture_active(): return\n"
    "        if hasattr(graph, 'enable_detailed_buffer_tracing'): graph.enable_detailed_buffer_tracing()\n"
    "        graph.begin_graph_capture(graph.RunMode.NORMAL)\n"
    "        state['mine'] = True\n"
    "    def end():\n"
    "        if not state['mine']: return\n"
    "        state['mine'] = False\n"
    "        if not graph.is_graph_capture_active(): return\n"
    "        state['count'] += 1\n"
    "        name = 'graph_capture' + ('_run%d' % state['count'] if state['count'] > 1 else '')\n"
    "        known = getattr(ttnn, 'distributed_context_is_initialized', lambda: False)\n"
    "        if known(): name += '_%d_of_%d' % (int(ttnn.distributed_context_get_rank()) + 1, "
    "int(ttnn.distributed_context_get_size()))\n"
    "        graph.end_graph_capture_to_file(os.path.join(os.path.dirname(_here), name + '.json'))\n"
    "    def quietly(f):\n"
    "        try: f()\n"
    "        except Exception as e: print('ttmem: ttnn report: %s' % e, file=sys.stderr)\n"
    "    def wrap(where, name, opens):\n"
    "        inner = getattr(where, name, None)\n"
    "        if inner is None: return\n"
    "        def wrapped(*args, **kwargs):\n"
    "            if not opens: quietly(end)\n"
    "            result = inner(*args, **kwargs)\n"
    "            if opens: quietly(begin)\n"
    "            return result\n"
    "        setattr(where, name, wrapped)\n"
    "    for where in (ttnn, getattr(ttnn, 'device', None)):\n"
    "        for name, opens in (('open_device', True), ('open_mesh_device', True), ('close_device', False), "
    "('close_mesh_device', False)):\n"
    "            if where is not None: wrap(where, name, opens)\n"
    "    atexit.register(lambda: quietly(end))\n"
    "class _Finder:\n"
    "    def find_spec(self, name, path=None, target=None):\n"
    "        if name != 'ttnn': return None\n"
    "        sys.meta_path.remove(self)\n"
    "        spec = importlib.util.find_spec('ttnn')\n"
    "        if spec is None or spec.loader is None: return spec\n"
    "        run = spec.loader.exec_module\n"
    "        def exec_module(module):\n"
    "            run(module)\n"
    "            try: _after(module)\n"
    "            except Exception as e: print('ttmem: ttnn report: %s' % e, file=sys.stderr)\n"
    "        try: spec.loader.exec_module = exec_module\n"
    "        except AttributeError: pass\n"
    "        return spec\n"
    "sys.meta_path.insert(0, _Finder())\n"
    "_own = importlib.machinery.PathFinder.find_spec('sitecustomize', sys.path)\n"
    "if _own is not None and _own.loader is not None: _own.loader.exec_module(importlib.util.module_from_spec(_own))\n";

static const char *const switches[][2] = {{"enable_fast_runtime_mode", "false"},
                                          {"enable_logging", "true"},
                                          {"enable_graph_report", "true"},
                                          {"enable_detailed_buffer_report", "true"},
                                          {"enable_graph_python_stack_traces", "true"}};

static void add_member(struct strbuf *out, struct slice key, struct slice value, bool quoted) {
    struct json j = {.out = out};
    strbuf_addz(out, out->data && out->data[out->len - 1] != '{' ? ", " : "");
    json_str(&j, key);
    strbuf_addz(out, ": ");
    j = (struct json){.out = out};
    if (quoted) json_str(&j, value);
    else strbuf_add(out, value);
}

/* The user's values: texts, numbers and switches. */
static void add_own(struct strbuf *out, struct slice key, struct json_value value) {
    struct slice text;
    bool flag;
    int64_t number;
    char digits[32];
    if (json_string_of(value, &text)) add_member(out, key, text, true);
    else if (json_bool_of(value, &flag)) add_member(out, key, flag ? SLICE("true") : SLICE("false"), false);
    else if (json_i64_of(value, &number)) {
        snprintf(digits, sizeof digits, "%lld", (long long)number);
        add_member(out, key, slice_from(digits), false);
    }
}

static int add_overrides(struct strbuf *out, const char *folder, const char *name, struct err *err) {
    const char *own = getenv("TTNN_CONFIG_OVERRIDES");
    struct json_reader *reader = json_reader_new();
    struct json_value object = {0}, value;
    struct slice key;
    bool has = own && own[0];
    if (has && (!reader || !json_parse(reader, slice_from(own), &object) || json_kind_of(object) != JSON_OBJECT)) {
        json_reader_free(reader);
        return err_set(err, ERR_USAGE, "TTNN_CONFIG_OVERRIDES is set and is not a JSON object: %.200s", own);
    }
    strbuf_addz(out, "TTNN_CONFIG_OVERRIDES={");
    if (!has || !json_member(object, "report_name", &value)) add_member(out, SLICE("report_name"), slice_from(name), true);
    if (!has || !json_member(object, "root_report_path", &value))
        add_member(out, SLICE("root_report_path"), slice_from(folder), true);
    for (size_t i = 0; i < sizeof switches / sizeof *switches; i++)
        if (!has || !json_member(object, switches[i][0], &value))
            add_member(out, slice_from(switches[i][0]), slice_from(switches[i][1]), false);
    if (has)
        for (struct json_walk walk = json_walk_of(object); json_next(&walk, &key, &value);) add_own(out, key, value);
    strbuf_addc(out, '}');
    json_reader_free(reader);
    return 0;
}

int ttnn_env(struct strbuf values[TTNN_SETTINGS], const char *folder, const char *name, struct err *err) {
    char whole[PATH_MAX];
    struct strbuf path = {0};
    const char *before = getenv("PYTHONPATH");
    strbuf_addf(&path, "%s/hook", folder);
    int rc = make_folders(strbuf_text(&path), err);
    if (rc == 0 && !realpath(folder, whole)) rc = err_set_errno(err, ERR_OUTPUT, "cannot find '%s'", folder);
    strbuf_addz(&path, "/sitecustomize.py");
    if (rc == 0) rc = outfile_put(strbuf_text(&path), slice_of(hook, sizeof hook - 1), err);
    if (rc == 0) rc = add_overrides(&values[0], whole, name, err);
    if (rc == 0) strbuf_addf(&values[1], "PYTHONPATH=%s/hook%s%s", whole, before && before[0] ? ":" : "", before ? before : "");
    strbuf_addz(&values[2], "PYTHONDONTWRITEBYTECODE=1"); /* nothing but the report remains in the folder */
    for (size_t i = 0; i < TTNN_SETTINGS; i++) strbuf_text(&values[i]);
    strbuf_release(&path);
    return rc;
}

struct found {
    struct strbuf path;
    time_t at;
};

static void consider(struct found *best, const char *path, time_t at) {
    if (best->path.len && at < best->at) return;
    strbuf_clear(&best->path);
    strbuf_addz(&best->path, path);
    best->at = at;
}

static void look_in(struct found *databases, struct found *captures, const char *folder, unsigned depth) {
    DIR *dir = opendir(folder);
    struct strbuf path = {0};
    struct stat st;
    if (graph_folder_is(folder) && stat(folder, &st) == 0) consider(captures, folder, st.st_mtime);
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        if (entry->d_name[0] == '.') continue;
        strbuf_clear(&path);
        strbuf_addf(&path, "%s/%s", folder, entry->d_name);
        if (lstat(strbuf_text(&path), &st) != 0) continue;
        if (S_ISREG(st.st_mode) && strcmp(entry->d_name, "db.sqlite") == 0)
            consider(databases, strbuf_text(&path), st.st_mtime);
        if (S_ISDIR(st.st_mode) && depth) look_in(databases, captures, strbuf_text(&path), depth - 1);
    }
    if (dir) closedir(dir);
    strbuf_release(&path);
}

bool ttnn_env_report(struct strbuf *path, const char *folder) {
    enum { DEPTH = 3 };
    struct found databases = {0}, captures = {0};
    look_in(&databases, &captures, folder, DEPTH);
    const struct found *best = databases.path.len ? &databases : &captures;
    if (best->path.len) strbuf_add(path, slice_of(best->path.data, best->path.len));
    bool found = best->path.len > 0;
    strbuf_release(&databases.path);
    strbuf_release(&captures.path);
    return found;
}

void ttnn_env_clear(const char *folder) {
    struct strbuf path = {0};
    strbuf_addf(&path, "%s/hook/sitecustomize.py", folder);
    unlink(strbuf_text(&path));
    strbuf_clear(&path);
    strbuf_addf(&path, "%s/hook", folder);
    rmdir(strbuf_text(&path));
    rmdir(folder); /* if nothing was written */
    strbuf_release(&path);
}
