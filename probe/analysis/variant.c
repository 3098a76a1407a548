/* The parameters in which cells of a scenario differ: see variant.h. */
#include "probe/analysis/variant.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include <jansson.h>

#include "probe/memory.h"

/* Cells of the same parameters. */
struct group {
    uint32_t first, end; /* of the results */
    json_t *params;      /* NULL: not to be read */
    uint32_t like;       /* the first group of its scenario on its device */
    json_t *varying;     /* of that first one: an object whose keys differ in some group */
};

static bool is_same_scenario(const struct gp_result *a, const struct gp_result *b)
{
    return a->device == b->device && strcmp(a->cell->scenario, b->cell->scenario) == 0;
}

/* The keys of a that b lacks or has another value of. */
static void note_differences(const json_t *a, const json_t *b, json_t *varying)
{
    json_t *each = (json_t *)a; /* iterating changes nothing */
    const char *key;
    json_t *value;

    json_object_foreach(each, key, value)
    {
        if (!json_equal(value, json_object_get(b, key))) {
            (void)json_object_set_new(varying, key, json_true());
        }
    }
}

static uint32_t find_groups(const struct gp_results *results, struct group *groups)
{
    uint32_t count = 0;

    for (uint32_t first = 0, end; first < results->count; first = end) {
        struct group *group = &groups[count];

        end = gp_results_group(results, first);
        *group = (struct group){.first = first, .end = end, .like = count};
        group->params = json_loads(results->cells[first].cell->params, 0, NULL);
        group->varying = json_object();
        for (uint32_t i = 0; i < count && group->like == count; i++) {
            if (is_same_scenario(&results->cells[groups[i].first], &results->cells[first])) {
                group->like = i;
            }
        }
        note_differences(group->params, groups[group->like].params, groups[group->like].varying);
        note_differences(groups[group->like].params, group->params, groups[group->like].varying);
        count++;
    }
    return count;
}

/* What does not fit is left out whole. */
static void say(char text[GP_VARIANT_BYTES_MAX], const char *key, const json_t *value)
{
    size_t used = strlen(text);
    const char *comma = used > 0 ? ", " : "";
    size_t room = GP_VARIANT_BYTES_MAX - used;
    int length;

    if (json_is_string(value)) {
        length = snprintf(text + used, room, "%s%s=%s", comma, key, json_string_value(value));
    } else {
        length = snprintf(text + used, room, "%s%s=%.15g", comma, key, json_number_value(value));
    }
    if (length < 0 || (size_t)length >= room) {
        text[used] = '\0';
    }
}

static void name_group(const struct group *group, const json_t *varying, struct gp_results *results)
{
    char text[GP_VARIANT_BYTES_MAX] = "";
    const char *key;
    json_t *value;

    json_object_foreach(group->params, key, value)
    {
        if (json_object_get(varying, key) != NULL &&
            (json_is_string(value) || json_is_number(value))) {
            say(text, key, value);
        }
    }
    for (uint32_t i = group->first; i < group->end; i++) {
        memcpy(results->cells[i].variant, text, sizeof text);
    }
}

void gp_variants_name(struct gp_results *results)
{
    struct group *groups;
    uint32_t count;

    assert(results != NULL);
    groups = gp_xalloc(results->count, sizeof *groups);
    count = find_groups(results, groups);
    for (uint32_t i = 0; i < count; i++) {
        name_group(&groups[i], groups[groups[i].like].varying, results);
    }
    for (uint32_t i = 0; i < count; i++) {
        json_decref(groups[i].params);
        json_decref(groups[i].varying);
    }
    gp_free(groups);
}
