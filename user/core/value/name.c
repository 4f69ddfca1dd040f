/* SPDX-License-Identifier: Apache-2.0 */
#include "name.h"

#include <ctype.h>
#include <string.h>

bool name_letter(char letter, bool first)
{
	if (!isascii(letter) || !letter)
		return false;
	return isalnum((unsigned char)letter) || (!first && strchr("-_.", letter));
}
