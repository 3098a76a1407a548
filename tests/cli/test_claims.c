/* The verb verdict as a user calls it. */
#include "test.h"

#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "cli/process.h"

static json_t *parse(const char *words)
{
    char *out = process_output(words);
    json_t *root = json_loads(out, 0, NULL);

    free(out);
    assert_non_null(root);
    return root;
}

static const char *text(const json_t *object, const char *name)
{
    const char *value = json_string_value(json_object_get(object, name));

    assert_non_null(value);
    return value;
}

#define CLAIMS "--claim chain-needs-none,event-beats-join,graphs-are-five-times-faster"

/* What is printed is what was stored; the recording is an ordinary one. */
static void test_verdict_on_the_model(void **state)
{
    json_t *root;
    json_t *again;
    json_t *verdicts;

    (void)state;
    root = parse("verdict " CLAIMS " -d model -q --json -o v.gpuprobe");
    verdicts = json_object_get(root, "verdicts");
    assert_int_equal(json_array_size(verdicts), 3);
    for (size_t i = 0; i < 3; i++) {
        const json_t *verdict = json_array_get(verdicts, i);

        assert_string_equal(text(verdict, "answer"), "holds");
        assert_true(json_is_real(json_object_get(verdict, "lo")));
        assert_true(json_is_integer(json_object_get(json_object_get(verdict, "over"), "cell")));
    }
    assert_string_equal(text(json_object_get(root, "device"), "kind"), "model");
    again = parse("show v.gpuprobe --json");
    assert_true(json_equal(json_object_get(again, "verdicts"), verdicts));
    assert_true(json_array_size(json_object_get(again, "cells")) >= 6);
    json_decref(again);
    json_decref(root);
    process_expect("show v.gpuprobe", 0, "chain-needs-none: holds", NULL);
    process_expect("check v.gpuprobe", 0, NULL, NULL);
    process_expect("verdict --claim chain-needs-none -d model -q -o v.gpuprobe", 1, NULL,
                   "v.gpuprobe");
    process_expect("verdict --claim chain-needs-none -d model -q --force -o v.gpuprobe", 0,
                   "Of 1 claim 1 holds, 0 do not, 0 cannot be told here. This is about the model",
                   NULL);
    process_expect("verdict --claim chain-needs-none -d model -q --force -o v.gpuprobe", 0,
                   "about the model, not about a GPU", NULL);
}

/* Cells of several numbers of connections, each in a process of its own, decide one claim. */
static void test_verdict_with_connections(void **state)
{
    json_t *root = parse("verdict --claim few-connections-serialise,free-waits-for-the-device "
                         "-d model -q --json -o c.gpuprobe");
    const json_t *verdicts = json_object_get(root, "verdicts");
    const json_t *few = json_array_get(verdicts, 0);

    (void)state;
    if (strcmp(text(few, "claim"), "few-connections-serialise") != 0) {
        few = json_array_get(verdicts, 1);
    }
    assert_string_equal(text(few, "answer"), "holds");
    assert_string_equal(text(json_object_get(few, "over"), "label"),
                        "round-robin/32 (1 connection)");
    assert_true(json_real_value(json_object_get(few, "lo")) > 15);
    json_decref(root);
    process_expect("show c.gpuprobe", 0, "free-waits-for-the-device: holds", NULL);
}

static void test_list_of_claims(void **state)
{
    json_t *root = parse("list claims --json");
    const json_t *claims = json_object_get(root, "claims");

    (void)state;
    assert_true(json_array_size(claims) >= 50);
    for (size_t i = 0; i < json_array_size(claims); i++) {
        (void)text(json_array_get(claims, i), "id");
        (void)text(json_array_get(claims, i), "sentence");
        (void)text(json_array_get(claims, i), "scenario");
        (void)text(json_array_get(claims, i), "source");
    }
    json_decref(root);
    process_expect("list claims", 0, "Source: book", NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_verdict_on_the_model),
        cmocka_unit_test(test_verdict_with_connections),
        cmocka_unit_test(test_list_of_claims),
    };

    return cmocka_run_group_tests(tests, process_enter, process_leave);
}
