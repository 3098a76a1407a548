/* One process a number of connections: see connections.h. */
#include "probe/cli/connections.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* CUDA Multi-Process Service: a client finds the server by its pipes, here or in the directory that
 * the environment names. */
int gp_connections_check(const char *spec, struct gp_error *err)
{
    const char *directory = getenv("CUDA_MPS_PIPE_DIRECTORY");
    char path[4096];

    if (strncmp(spec, "model", 5) == 0) {
        return 0;
    }
    (void)snprintf(path, sizeof path, "%s/control",
                   directory != NULL ? directory : "/tmp/nvidia-mps");
    if (access(path, F_OK) == 0) {
        return gp_fail(err, GP_EINVAL,
                       "--connections: this GPU is shared through MPS (%s), which divides the "
                       "connections among its clients; stop the server or leave the option out",
                       path);
    }
    return 0;
}

void gp_connections_set(uint32_t connections)
{
    char text[16];

    (void)snprintf(text, sizeof text, "%u", (unsigned)connections);
    (void)setenv("CUDA_DEVICE_MAX_CONNECTIONS", text, 1);
}

static enum gp_exit wait_for(pid_t child)
{
    int status = 0;

    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR) {
            return GP_EXIT_FAILED;
        }
    }
    if (!WIFEXITED(status)) {
        (void)fprintf(stderr, "gpuprobe: the process of one number of connections was killed\n");
        return GP_EXIT_FAILED;
    }
    return (enum gp_exit)WEXITSTATUS(status);
}

enum gp_exit gp_connections_each(uint32_t count, gp_connections_fn *work, void *user)
{
    for (uint32_t i = 0; i < count; i++) {
        enum gp_exit status;
        pid_t child;

        (void)fflush(NULL); /* what is not written yet would be written twice */
        child = fork();
        if (child == 0) {
            exit((int)work(user, i));
        }
        if (child < 0) {
            (void)fprintf(stderr, "gpuprobe: no further process: %s\n", strerror(errno));
            return GP_EXIT_FAILED;
        }
        status = wait_for(child);
        if (status != GP_EXIT_OK) {
            return status;
        }
    }
    return GP_EXIT_OK;
}
