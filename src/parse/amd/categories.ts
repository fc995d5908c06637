/** Categories of events of AMD's tracers, such as `HIP_RUNTIME_API_EXT` and `MARKER_CORE_RANGE_API`. */

/** Whether events of this category are roctx functions. */
export const isRoctx = (category: string | null): boolean => /^MARKER/i.test(category ?? '');

/** Whether they are roctx ranges and marks. The other roctx functions pause the tracer or name things. */
export const isRange = (category: string | null): boolean => /^MARKER_CORE/i.test(category ?? '');

/** Whether they are API calls. */
export const isApi = (category: string | null): boolean => /api/i.test(category ?? '') && !isRoctx(category);
