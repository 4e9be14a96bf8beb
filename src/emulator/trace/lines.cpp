// SPDX-License-Identifier: MIT
#include "src/emulator/trace/log.h"

#include <cstdio>
#include <map>
#include <unistd.h>

namespace emulated
{

// Returns the path relative to the top of the source tree. The compiler may have run in any folder,
// so the path may begin with other folders.
static std::string from_top(const std::string &line)
{
    for (const char *const folder : {"/kernels/", "/tests/", "/src/"}) {
        const std::size_t at = line.rfind(folder);

        if (at != std::string::npos)
            return line.substr(at + 1);
    }
    return line;
}

static std::string ask(int32_t pc)
{
    char text[400] = "";

    snprintf(text, sizeof text, "addr2line -e /proc/%d/exe %#x 2>&1", (int)getpid(), (unsigned)pc);
    FILE *tool = popen(text, "r");
    std::string line = tool != nullptr && fgets(text, sizeof text, tool) != nullptr ? text : "?";

    if (tool != nullptr)
        pclose(tool);
    return from_top(line.substr(0, line.find_first_of(" \n")));
}

const std::string &source_line(int32_t pc)
{
    static std::map<int32_t, std::string> &known =
        *new std::map<int32_t, std::string>{{0, "an atomic operation"}};

    if (!known.contains(pc))
        known[pc] = ask(pc);
    return known[pc];
}

} // namespace emulated
