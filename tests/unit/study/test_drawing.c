// SPDX-License-Identifier: Apache-2.0
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "core/study/drawing.h"
#include "unit/study/stage.h"

static void test_drawings_refuse_what_cannot_be_seen(void **state)
{
	struct crowd crowd = crowd_of("n-0..24"), three = crowd_of("a,b,c");
	struct drawing drawing = {.before = place(&crowd, PLACEMENT_RING, (struct placement_options){0}),
				  .title = "t"};
	struct refusal refusal = {.what = ""};
	char *picture = NULL;

	(void)state;
	assert_int_equal(draw_ring(&drawing, &picture, &refusal), -22);
	assert_non_null(strstr(refusal.what, "more than 24 members"));
	placement_free((struct placement *)drawing.before);
	drawing.before = place(&three, PLACEMENT_MAGLEV, (struct placement_options){0});
	assert_int_equal(draw_ring(&drawing, &picture, &refusal), -22);
	assert_non_null(strstr(refusal.what, "no ring"));
	assert_int_equal(draw_bands(&drawing, &picture, &refusal), 0);
	assert_non_null(strstr(picture, "</svg>"));
	free(picture);
	placement_free((struct placement *)drawing.before);
	crowd_free(&crowd);
	crowd_free(&three);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_drawings_refuse_what_cannot_be_seen),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
