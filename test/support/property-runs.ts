/** How often property tests run. TEST_RUNS multiplies the runs; without it they take a quarter, which finds most mistakes. */
const FACTOR = Number(process.env['TEST_RUNS'] ?? 0.25);

/** @param usual number of runs with TEST_RUNS=1 */
export const propertyRuns = (usual: number): number => Math.ceil(usual * FACTOR);
