# Turns docs/diagnostics.md into a C++ string, in pieces that stay below compilers' limits.
file(READ ${INPUT} text)
string(REPLACE "\\" "\\\\" text "${text}")
string(REPLACE "\"" "\\\"" text "${text}")
string(REPLACE "\n" "\\n\"\n\"" text "${text}")
file(WRITE ${OUTPUT} "extern const char *const kDiagnosticsText;\n"
                     "const char *const kDiagnosticsText =\n\"${text}\";\n")
