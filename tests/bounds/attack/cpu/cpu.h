/* SPDX-License-Identifier: MIT */
#ifndef SMOOTHIMG_ATTACK_CPU_H
#define SMOOTHIMG_ATTACK_CPU_H

#include "tests/unit/unit.h"
#include "tests/bounds/attack/attack.h"

#define TEXT_OF(NAME) #NAME
#define TEXT(NAME) TEXT_OF(NAME)

#include <stdalign.h>
#include <stdbool.h>
#include <string.h>

extern const struct attack_path attack_u8_one, attack_u8_two, attack_u8_repair;

#endif
