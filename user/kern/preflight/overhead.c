// SPDX-License-Identifier: Apache-2.0
#include "overhead.h"

#include <holdfast/abi.h>
#include <holdfast/gue.h>

uint32_t wrap_overhead(uint8_t encap, uint8_t family)
{
	uint32_t outer = family == 6 ? 40 : 20;

	switch (encap) {
	case HF_ENCAP_L2:
		return 0;
	case HF_ENCAP_GRE:
		return outer + 4;
	case HF_ENCAP_GUE:
		return outer + 8 + sizeof(struct hf_gue) + (HF_MAX_HOPS - 1) * (family == 6 ? 16 : 4);
	default:
		return outer;
	}
}

uint32_t segment_headers(uint8_t family)
{
	return (family == 6 ? 40 : 20) + 20;
}
