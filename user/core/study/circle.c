/* SPDX-License-Identifier: Apache-2.0 */
#include "circle.h"

#include <math.h>

double ring_x(double radius, double angle)
{
	return MIDDLE + radius * sin(angle);
}

double ring_y(double radius, double angle)
{
	return CENTRE_Y - radius * cos(angle);
}

double token_angle(const struct placement *placement, uint64_t position)
{
	double space =
		placement_space(placement) ? (double)placement_space(placement) : 18446744073709551616.0;

	return 2 * M_PI * (double)position / space;
}

size_t tokens_count(const struct placement *placement)
{
	uint64_t position;
	uint16_t member;
	size_t count = 0;

	while (placement_token(placement, count, &position, &member))
		count++;
	return count;
}

int angle_order(const void *a, const void *b)
{
	double left = *(const double *)a, right = *(const double *)b;

	return (left > right) - (left < right);
}

void stands_spread(struct stand *stands, size_t count, double radius, double room)
{
	double least = 2 * asin(room / 2 / radius);

	for (size_t i = 0; i < count; i++)
		stands[i].shown = stands[i].angle;
	for (int round = 0; round < 400 && count > 1; round++)
		for (size_t i = 0; i < count; i++) {
			struct stand *a = &stands[i], *b = &stands[(i + 1) % count];
			double gap = b->shown - a->shown + (i + 1 == count ? 2 * M_PI : 0);

			if (gap < least) {
				a->shown -= (least - gap) / 2;
				b->shown += (least - gap) / 2;
			}
		}
}
