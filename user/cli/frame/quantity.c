// SPDX-License-Identifier: Apache-2.0
#include "quantity.h"

#include <math.h>
#include <stdio.h>

const char *quantity_text(double number, char text[QUANTITY_TEXT])
{
	static const char units[] = {'\0', 'k', 'M', 'G', 'T', 'P', 'E'};
	size_t unit = 0;
	double shown = number;

	/* What would round to 1000 is 1 of the next unit. */
	while (shown >= 999.5 && unit + 1 < sizeof units) {
		shown /= 1000;
		unit++;
	}
	/* A digit behind the point where there is one before it; never one that says nothing. */
	if (shown < 9.95)
		shown = round(shown * 10) / 10;
	snprintf(text, QUANTITY_TEXT, "%.*f%.1s",
		 shown < 9.95 && shown != floor(shown) && (unit || shown < 1), shown, &units[unit]);
	return text;
}

const char *elapsed_text(double seconds, char text[QUANTITY_TEXT])
{
	static const struct {
		double seconds;
		char letter;
	} units[] = {{86400, 'd'}, {3600, 'h'}, {60, 'm'}, {1, 's'}};
	size_t unit = 0;
	double whole, rest;

	seconds = seconds > 0 ? floor(seconds) : 0;
	while (unit < 3 && seconds < units[unit].seconds)
		unit++;
	whole = floor(seconds / units[unit].seconds);
	rest = unit < 3 ? floor((seconds - whole * units[unit].seconds) / units[unit + 1].seconds) : 0;
	/* Minutes need no seconds. */
	if (rest > 0 && unit < 2)
		snprintf(text, QUANTITY_TEXT, "%.0f%c%.0f%c", whole, units[unit].letter, rest,
			 units[unit + 1].letter);
	else
		snprintf(text, QUANTITY_TEXT, "%.0f%c", whole, units[unit].letter);
	return text;
}

const char *percent_text(double share, char text[QUANTITY_TEXT])
{
	double percent = share * 100;

	if (percent == 0 || percent >= 100)
		snprintf(text, QUANTITY_TEXT, "%.0f", percent);
	else if (percent > 99)
		snprintf(text, QUANTITY_TEXT, "%.4g", percent < 99.99 ? percent : 99.99);
	else
		snprintf(text, QUANTITY_TEXT, "%.2g", percent);
	return text;
}

const char *count_text(double number, char text[QUANTITY_TEXT])
{
	snprintf(text, QUANTITY_TEXT, "%.0f", number);
	return text;
}
