/** Categories of events of AMD's tracers, such as `HIP_RUNTIME_API_EXT` and `MARKER_CORE_RANGE_API`. */

/** Whether a category is that of functions of roctx. */
export const isRoctx = (category: string | null): boolean => /^MARKER/i.test(category ?? '');

/** Whether it is that of ranges and marks of roctx. Its other functions pause the tracer or name things. */
export const isRange = (category: string | null): boolean => /^MARKER_CORE/i.test(category ?? '');

/** Whether it is that of calls of an API. */
export const isApi = (category: string | null): boolean => /api/i.test(category ?? '') && !isRoctx(category);
