/*
 * A tool as NVTX loads it: keeps one line for each range that begins or ends, for the test to read,
 * and at the end of the process writes them to the file GP_TEST_NVTX_LOG.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NVTX_NO_IMPL
#include <nvtx3/nvToolsExt.h>

#include "nvtx/listener.h"

enum { LOG_BYTES_MAX = 1 << 18, STRINGS_MAX = 64, TEXT_BYTES_MAX = 64 };

static char text[LOG_BYTES_MAX];
static char strings[STRINGS_MAX][TEXT_BYTES_MAX];
static size_t string_count;
static unsigned long long range_count;

__attribute__((visibility("default"))) const char *listener_log(void);
__attribute__((visibility("default"))) int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t get);

static void note(const char *what, const nvtxEventAttributes_t *event, unsigned long long id)
{
    const char *message = "";
    size_t used = strlen(text);

    if (event != NULL && event->messageType == NVTX_MESSAGE_TYPE_ASCII) {
        message = event->message.ascii;
    } else if (event != NULL && event->messageType == NVTX_MESSAGE_TYPE_REGISTERED) {
        message = (const char *)event->message.registered;
    }
    if (event == NULL) {
        (void)snprintf(text + used, sizeof text - used, "%s %llu\n", what, id);
    } else {
        (void)snprintf(text + used, sizeof text - used, "%s %llu %s category=%u payload=%llu\n",
                       what, id, message, event->category,
                       (unsigned long long)event->payload.ullValue);
    }
}

static nvtxDomainHandle_t domain_create(const char *name)
{
    size_t used = strlen(text);

    (void)snprintf(text + used, sizeof text - used, "domain %s\n", name);
    return (nvtxDomainHandle_t)(void *)text;
}

static nvtxStringHandle_t register_string(nvtxDomainHandle_t domain, const char *string)
{
    size_t used = strlen(text);

    (void)domain;
    if (string_count == STRINGS_MAX) {
        return NULL;
    }
    (void)snprintf(strings[string_count], TEXT_BYTES_MAX, "%s", string);
    (void)snprintf(text + used, sizeof text - used, "string %s\n", string);
    return (nvtxStringHandle_t)(void *)strings[string_count++];
}

static void name_category(nvtxDomainHandle_t domain, uint32_t category, const char *name)
{
    size_t used = strlen(text);

    (void)domain;
    (void)snprintf(text + used, sizeof text - used, "category %u %s\n", category, name);
}

static int push(nvtxDomainHandle_t domain, const nvtxEventAttributes_t *event)
{
    (void)domain;
    note("push", event, 0);
    return 0;
}

static int pop(nvtxDomainHandle_t domain)
{
    (void)domain;
    note("pop", NULL, 0);
    return 0;
}

static nvtxRangeId_t start(nvtxDomainHandle_t domain, const nvtxEventAttributes_t *event)
{
    (void)domain;
    note("start", event, ++range_count);
    return range_count;
}

static void end(nvtxDomainHandle_t domain, nvtxRangeId_t id)
{
    (void)domain;
    note("end", NULL, id);
}

/* For a program that the test cannot look into: the log as a file. */
static void write_log(void)
{
    const char *path = getenv("GP_TEST_NVTX_LOG");
    FILE *file = path != NULL ? fopen(path, "w") : NULL;

    if (file != NULL) {
        (void)fputs(text, file);
        (void)fclose(file);
    }
}

const char *listener_log(void)
{
    return text;
}

int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t get)
{
    const NvtxExportTableCallbacks *callbacks = get(NVTX_ETID_CALLBACKS);
    NvtxFunctionTable table = NULL;
    unsigned int size = 0;

    if (callbacks == NULL ||
        !callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE2, &table, &size) ||
        size <= NVTX_CBID_CORE2_DomainCreateA) {
        return 0;
    }
    *table[NVTX_CBID_CORE2_DomainCreateA] = (NvtxFunctionPointer)domain_create;
    *table[NVTX_CBID_CORE2_DomainRegisterStringA] = (NvtxFunctionPointer)register_string;
    *table[NVTX_CBID_CORE2_DomainNameCategoryA] = (NvtxFunctionPointer)name_category;
    *table[NVTX_CBID_CORE2_DomainRangePushEx] = (NvtxFunctionPointer)push;
    *table[NVTX_CBID_CORE2_DomainRangePop] = (NvtxFunctionPointer)pop;
    *table[NVTX_CBID_CORE2_DomainRangeStartEx] = (NvtxFunctionPointer)start;
    *table[NVTX_CBID_CORE2_DomainRangeEnd] = (NvtxFunctionPointer)end;
    return atexit(write_log) == 0;
}
