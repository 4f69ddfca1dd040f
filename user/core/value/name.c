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

bool name_valid(const char *text, size_t length)
{
	if (!length || length >= NAME_SIZE)
		return false;
	for (size_t i = 0; i < length; i++)
		if (!name_letter(text[i], i == 0))
			return false;
	return true;
}
