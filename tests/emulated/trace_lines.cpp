// SPDX-License-Identifier: MIT
#include "trace_log.h"

#include <cstdio>
#include <unistd.h>

namespace emulated
{

std::string source_line(uintptr_t pc)
{
    char text[400] = "";

    if (pc == 0)
        return "an atomic operation";
    snprintf(text, sizeof text, "addr2line -e /proc/%d/exe %#zx 2>&1", (int)getpid(),
             (std::size_t)(pc - load_address()));
    FILE *tool = popen(text, "r");
    std::string line = tool != nullptr && fgets(text, sizeof text, tool) != nullptr ? text : "?";

    if (tool != nullptr)
        pclose(tool);
    return line.substr(0, line.find_first_of(" \n"));
}

} // namespace emulated
