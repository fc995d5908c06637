/** @param usual number of runs of a property with TEST_RUNS=1; setup.mjs says how many there are without it */
export const propertyRuns = (usual: number): number => Math.ceil(usual * Number(process.env['TEST_RUNS'] ?? 1));
