/* SPDX-License-Identifier: Apache-2.0 */
#include "tui/prompt.h"

#include "base/utf8.h"

enum { INDENT = 3, LIST_ROW = 8 };

struct line {
    const struct prompt *prompt;
    struct strbuf *text;
    size_t cursor;           /* byte offset */
    struct path_names found; /* completions of what is typed */
    long chosen;             /* in the list below; -1: the line itself */
    size_t top;
    int list_rows;
    bool changed; /* since the prompt's message was about it */
};

static const struct path_names *list_of(const struct line *l) {
    return l->text->len == 0 || !l->prompt->paths ? l->prompt->proposals : &l->found;
}

static void refind(struct line *l) {
    names_release(&l->found);
    l->changed = true;
    l->chosen = -1;
    l->top = 0;
    if (l->prompt->paths && l->text->len) complete_path(&l->found, strbuf_text(l->text));
}

static void set_text(struct line *l, struct slice text) {
    struct strbuf copy = {0};
    strbuf_add(&copy, text);
    strbuf_clear(l->text);
    strbuf_add(l->text, strbuf_slice(&copy));
    strbuf_release(&copy);
    l->cursor = l->text->len;
    refind(l);
}

static void insert(struct line *l, uint32_t ch) {
    char bytes[4];
    size_t n = utf8_encode(ch, bytes);
    strbuf_room(l->text, n);
    memmove(l->text->data + l->cursor + n, l->text->data + l->cursor, l->text->len - l->cursor);
    memcpy(l->text->data + l->cursor, bytes, n);
    strbuf_took(l->text, n);
    l->cursor += n;
    refind(l);
}

static size_t before(const struct line *l) {
    size_t at = l->cursor;
    while (at && ((unsigned char)l->text->data[at - 1] & 0xc0) == 0x80) at--;
    return at ? at - 1 : 0;
}

static size_t after(const struct line *l) {
    size_t at = l->cursor < l->text->len ? l->cursor + 1 : l->cursor;
    while (at < l->text->len && ((unsigned char)l->text->data[at] & 0xc0) == 0x80) at++;
    return at;
}

static void cut(struct line *l, size_t from, size_t to) {
    memmove(l->text->data + from, l->text->data + to, l->text->len - to);
    l->text->len -= to - from;
    l->cursor = from;
    refind(l);
}

static void cut_word(struct line *l) {
    size_t at = l->cursor;
    while (at && (l->text->data[at - 1] == '/' || l->text->data[at - 1] == ' ')) at--;
    while (at && l->text->data[at - 1] != '/' && l->text->data[at - 1] != ' ') at--;
    cut(l, at, l->cursor);
}

static void complete(struct line *l) {
    const struct path_names *list = list_of(l);
    if (!list || !list->len) return;
    if (l->chosen >= 0) set_text(l, slice_from(list->items[l->chosen]));
    else if (l->prompt->paths && l->text->len) set_text(l, names_prefix(list));
}

static void draw_list(struct line *l) {
    const struct path_names *list = list_of(l);
    l->list_rows = screen_rows() - LIST_ROW - 2;
    if (!list || !list->len || l->list_rows < 1) return;
    bool typed = list != l->prompt->proposals;
    if (typed)
        screen_putf(LIST_ROW - 1, INDENT, screen_columns() - INDENT, LOOK_DIM, "%zu %s", list->len,
                    list->len == 1 ? "match" : "matches");
    else screen_putz(LIST_ROW - 1, INDENT, screen_columns() - INDENT, LOOK_DIM, l->prompt->proposals_title);
    if (l->chosen >= 0 && (size_t)l->chosen < l->top) l->top = (size_t)l->chosen;
    if (l->chosen >= (long)l->top + l->list_rows) l->top = (size_t)(l->chosen - l->list_rows + 1);
    for (int i = 0; i < l->list_rows && l->top + (size_t)i < list->len; i++) {
        bool chosen = (long)l->top + i == l->chosen;
        if (chosen) screen_put_fill(LIST_ROW + i, INDENT - 1, screen_columns() - INDENT, LOOK_CHOSEN);
        screen_putz(LIST_ROW + i, INDENT, screen_columns() - INDENT - 1, chosen ? LOOK_CHOSEN : LOOK_PLAIN,
                    list->items[l->top + (size_t)i]);
    }
}

static void draw(struct line *l) {
    screen_clear();
    const char *keys = l->prompt->paths ? "Tab complete   ↑↓ choose   Enter go   Esc back"
                       : l->prompt->proposals && l->prompt->proposals->len ? "↑↓ choose   Enter go   Esc back"
                                                                           : "Enter go   Esc back";
    screen_put_frame(l->prompt->title, keys);
    screen_putz(3, INDENT, screen_columns() - INDENT, LOOK_BOLD, l->prompt->question);
    int width = screen_columns() - INDENT - 4;
    struct slice shown = strbuf_slice(l->text), left = slice_take(shown, l->cursor);
    /* shows the end of the line, where typing happens */
    while (utf8_width(left) >= (size_t)width && left.len) {
        size_t n = utf8_char(left);
        left = slice_skip(left, n ? n : 1);
        shown = slice_skip(shown, n ? n : 1);
    }
    screen_putz(5, INDENT, 2, LOOK_ACCENT, "> ");
    screen_put(5, INDENT + 2, width, LOOK_PLAIN, shown);
    int at = INDENT + 2 + (int)utf8_width(left);
    struct slice under = slice_skip(shown, left.len);
    size_t n = under.len ? utf8_char(under) : 0;
    screen_put(5, at, 2, LOOK_CURSOR, under.len ? slice_take(under, n ? n : 1) : SLICE(" "));
    if (l->prompt->message && !l->changed) screen_putz(6, INDENT, screen_columns() - INDENT, LOOK_BAD, l->prompt->message);
    draw_list(l);
    screen_show();
}

static void choose(struct line *l, long by) {
    const struct path_names *list = list_of(l);
    if (!list || !list->len) return;
    l->chosen += by;
    if (l->chosen < -1) l->chosen = -1;
    if (l->chosen >= (long)list->len) l->chosen = (long)list->len - 1;
}

/* Enter: takes the choice. True: the line is the answer. */
static bool accept(struct line *l) {
    const struct path_names *list = list_of(l);
    if (l->chosen >= 0 && list) set_text(l, slice_from(list->items[l->chosen]));
    return l->text->len == 0 || !l->prompt->paths || l->text->data[l->text->len - 1] != '/';
}

static bool click(struct line *l, int row) {
    const struct path_names *list = list_of(l);
    size_t number = l->top + (size_t)(row - LIST_ROW);
    if (!list || row < LIST_ROW || row >= LIST_ROW + l->list_rows || number >= list->len) return false;
    l->chosen = (long)number;
    return accept(l);
}

enum answer prompt_ask(const struct prompt *prompt, struct strbuf *text) {
    struct line l = {.prompt = prompt, .text = text, .cursor = text->len, .chosen = -1};
    enum answer answer = ANSWER_OK;
    refind(&l);
    l.changed = false;
    for (bool open = true; open;) {
        draw(&l);
        struct event event = screen_event(-1);
        switch (event.key) {
            case KEY_TEXT:
                insert(&l, event.ch);
                break;
            case KEY_ERASE:
                cut(&l, before(&l), l.cursor);
                break;
            case KEY_DELETE:
                cut(&l, l.cursor, after(&l));
                break;
            case KEY_KILL:
                cut(&l, 0, l.cursor);
                break;
            case KEY_WORD:
                cut_word(&l);
                break;
            case KEY_LEFT_:
                l.cursor = before(&l);
                break;
            case KEY_RIGHT_:
                l.cursor = after(&l);
                break;
            case KEY_HOME_:
                l.cursor = 0;
                break;
            case KEY_END_:
                l.cursor = l.text->len;
                break;
            case KEY_TAB:
                complete(&l);
                break;
            case KEY_WHEEL_UP:
            case KEY_UP_:
                choose(&l, -1);
                break;
            case KEY_WHEEL_DOWN:
            case KEY_DOWN_:
                choose(&l, 1);
                break;
            case KEY_PAGE_UP:
                choose(&l, -l.list_rows);
                break;
            case KEY_PAGE_DOWN:
                choose(&l, l.list_rows);
                break;
            case KEY_ENTER_:
                open = !accept(&l);
                break;
            case KEY_CLICK:
                open = !click(&l, event.row);
                break;
            case KEY_ESCAPE:
                answer = ANSWER_BACK;
                open = false;
                break;
            case KEY_INTERRUPT:
                screen_ends(event);
                answer = ANSWER_END;
                open = false;
                break;
            default:
                break;
        }
    }
    names_release(&l.found);
    return answer;
}
