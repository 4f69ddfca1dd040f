/* SPDX-License-Identifier: Apache-2.0 */
#include "age.h"

#include <stdio.h>

const char *age_text(int64_t seconds, char text[AGE_TEXT])
{
	if (seconds < 120)
		snprintf(text, AGE_TEXT, "%llds", (long long)seconds);
	else if (seconds < 7200)
		snprintf(text, AGE_TEXT, "%lldm", (long long)(seconds / 60));
	else
		snprintf(text, AGE_TEXT, "%lldh", (long long)(seconds / 3600));
	return text;
}
