/** The number of matrix units of a device, which sets its peak rate, by the blocks of its kernels. */
import { expect } from 'chai';
import { AscendDatabase } from '../../../support/ascend-database.js';
import { csv, task, timeText, writeProfile } from '../../../support/ascend-trace.js';
import { headerOf } from '../../../support/profile-records.js';

interface Kernel {
  readonly core: string;
  readonly blocks: number;
  /** Time on the matrix unit in µs; null without counters. */
  readonly mac: number | null;
}
const kernel = (core: string, blocks: number, mac: number | null): Kernel => ({ core, blocks, mac });

const HEADER = ['Name', 'Type', 'Accelerator Core', 'Start Time(us)', 'Duration(us)', 'Block Dim', 'aic_mac_time(us)'];

const unitsOf = (path: string): number | null | undefined => headerOf(path).devices[0]?.units;

function unitsOfText(kernels: readonly Kernel[]): number | null | undefined {
  const rows = kernels.map(({ core, blocks, mac }, i) =>
    [`kernel${i}`, 'Type', core, `${timeText(i * 10)}\t`, 5, blocks, mac ?? 'N/A']); // prettier-ignore
  const tasks = kernels.map((_, i) => task(`kernel${i}`, 'AI_CORE', i + 1, i * 10, i * 10 + 5));
  return unitsOf(writeProfile(tasks, { 'kernel_details.csv': csv(HEADER, ...rows) }));
}

function unitsOfDatabase(kernels: readonly Kernel[]): number | null | undefined {
  const database = new AscendDatabase();
  kernels.forEach(({ core, blocks, mac }, i) => {
    const id = database.kernel(`kernel${i}`, [100 + i * 10, 105 + i * 10], i + 1, { taskType: database.string(core), blockDim: blocks }); // prettier-ignore
    if (mac !== null)
      database.row('TASK_PMU_INFO', { globalTaskId: id, name: database.string('aic_mac_time'), value: mac });
  });
  return unitsOf(database.write());
}

const CASES: readonly (readonly [what: string, kernels: readonly Kernel[], units: number | null])[] = [
  ['the blocks of the only kernel that multiplies', [kernel('AI_CORE', 24, 3)], 24],
  ['not the blocks of a kernel that does not multiply', [kernel('AI_CORE', 24, 3), kernel('AI_CORE', 40, 0)], 24],
  ['not more blocks than any device has units', [kernel('AI_CORE', 1639, 3), kernel('AI_CORE', 24, 3), kernel('MIX_AIC', 24, 2)], 24],
  ['not a larger number that one kernel alone has', [kernel('AI_CORE', 48, 3), kernel('AI_CORE', 20, 3), kernel('AI_CORE', 20, 3)], 20],
  ['unknown when no two kernels agree', [kernel('AI_CORE', 48, 3), kernel('AI_CORE', 20, 3)], null],
  ['unknown without a kernel on matrix units', [kernel('AI_VECTOR_CORE', 48, null)], null],
  ['by the core class where nothing was counted', [kernel('AI_CORE', 20, null), kernel('MIX_AIC', 20, null)], 20],
]; // prettier-ignore

describe('Ascend: matrix units of a device', () => {
  for (const [what, kernels, units] of CASES) {
    it(`${what}: CSV`, () => expect(unitsOfText(kernels)).to.equal(units));
    it(`${what}: database`, () => expect(unitsOfDatabase(kernels)).to.equal(units));
  }
});
