/** How often property tests run: TEST_RUNS multiplies what is usual. */
const FACTOR = Number(process.env['TEST_RUNS'] ?? 1);

/** @param usual number of runs in `npm test` */
export const propertyRuns = (usual: number): number => Math.ceil(usual * FACTOR);
