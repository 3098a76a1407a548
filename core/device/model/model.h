/*
 * The model device, as seen from outside: its ops table. All else goes through device.h.
 */
#ifndef GP_CORE_DEVICE_MODEL_MODEL_H
#define GP_CORE_DEVICE_MODEL_MODEL_H

#include "core/device/device.h"

/* A deterministic discrete-event model of a GPU in virtual time, by profiles (profile.h). */
extern const struct gp_device_ops gp_device_model;

#endif
