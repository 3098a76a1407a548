/* What GPUPROBE_FAKE_CUDA orders: see fake.h. */
#include "fake.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FAILURES_MAX = 8, CALL_BYTES_MAX = 64 };

struct failure {
    char call[CALL_BYTES_MAX];
    long nth; /* 0: every one */
    unsigned int result;
    long seen;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct failure failures[FAILURES_MAX];
static int failure_count;

struct fake_plan fake_plan;

/* The number after `prefix`, when the order begins with that. */
static bool read_number(const char *order, const char *prefix, int64_t *out)
{
    const size_t length = strlen(prefix);

    if (strncmp(order, prefix, length) != 0) {
        return false;
    }
    *out = strtoll(order + length, NULL, 10);
    return true;
}

/* "CALL:N:RESULT" */
static void plan_failure(const char *text)
{
    struct failure *failure = &failures[failure_count];
    const size_t length = strcspn(text, ":");
    char *rest = NULL;

    if (failure_count == FAILURES_MAX || length >= sizeof failure->call || text[length] != ':') {
        abort();
    }
    memcpy(failure->call, text, length);
    failure->call[length] = '\0';
    failure->nth = strtol(text + length + 1, &rest, 10);
    failure->result = (unsigned int)strtoul(rest + 1, NULL, 10);
    failure->seen = 0;
    failure_count++;
}

static void obey(const char *order)
{
    int64_t number = 0;

    if (strncmp(order, "fail=", 5) == 0) {
        plan_failure(order + 5);
    } else if (strncmp(order, "lose=", 5) == 0) {
        (void)snprintf(fake_plan.lost_kernel, sizeof fake_plan.lost_kernel, "%s", order + 5);
    } else if (read_number(order, "driver=", &number)) {
        fake_plan.driver_version = (int)number;
    } else if (read_number(order, "devices=", &number)) {
        fake_plan.device_count = (int)number;
    } else if (read_number(order, "fault-after=", &number)) {
        fake_plan.launches_left = number;
    } else if (strcmp(order, "refuse-fatbin") == 0) {
        fake_plan.refuse_fatbin = true;
    } else if (strcmp(order, "refuse-ptx") == 0) {
        fake_plan.refuse_ptx = true;
    } else if (strcmp(order, "no-pools") == 0) {
        fake_plan.no_pools = true;
    } else {
        (void)fprintf(stderr, "GPUPROBE_FAKE_CUDA: '%s' is no order\n", order);
        abort();
    }
}

void fake_plan_read(void)
{
    const char *text = getenv("GPUPROBE_FAKE_CUDA");
    char orders[512] = "";
    char *rest = NULL;

    (void)pthread_mutex_lock(&lock);
    fake_plan = (struct fake_plan){.driver_version = 13000, .device_count = 1, .launches_left = -1};
    failure_count = 0;
    if (text != NULL) {
        (void)snprintf(orders, sizeof orders, "%s", text);
    }
    for (char *order = strtok_r(orders, ",", &rest); order != NULL;
         order = strtok_r(NULL, ",", &rest)) {
        obey(order);
    }
    (void)pthread_mutex_unlock(&lock);
}

gp_cu_result fake_plan_result(const char *call)
{
    gp_cu_result result = 0;

    (void)pthread_mutex_lock(&lock);
    for (int i = 0; i < failure_count; i++) {
        if (strcmp(failures[i].call, call) == 0) {
            failures[i].seen++;
            if (failures[i].nth == 0 || failures[i].seen == failures[i].nth) {
                result = failures[i].result;
            }
        }
    }
    (void)pthread_mutex_unlock(&lock);
    return result;
}
