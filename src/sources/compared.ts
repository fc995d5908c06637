/** An input of a comparison, read from its source. */
import { withoutKernels } from '../prof/analysis.js';
import { lostBy, type Taken } from '../prof/diff/compared-input.js';
import type { Comparison } from '../prof/diff/comparison.js';
import type { Which } from '../prof/diff/input-facts.js';
import { UsageError, UserError } from '../record/errors.js';
import { takeRecords } from './pass.js';
import type { Source } from './sources.js';

/**
 * @param name of the input, where it cannot be opened
 * @param isGate whether an input that cannot be compared is an answer
 * @throws UserError for an input that cannot be compared, where there is no gate that must say so in its own way
 */
export async function takeCompared(
  name: string,
  open: () => Promise<Source>,
  which: Which,
  comparison: Comparison,
  isGate: boolean,
): Promise<Taken> {
  let lost = 0;
  let source = null as Source | null;
  try {
    source = await open();
    await takeRecords(
      source,
      (record) => {
        if (record.type === 'end') lost += lostBy(record);
        comparison.take(which, record);
      },
      () => {
        comparison.end(which);
        const { count, untimed } = comparison.total[which];
        if (count === 0) throw withoutKernels(untimed);
      },
    );
    const { count: kernels } = comparison.total[which];
    return { name: source.name, endings: source.endings, failure: null, lost, kernels };
  } catch (error) {
    if (!isGate || !(error instanceof UserError) || error instanceof UsageError) throw error;
    return { name, endings: source?.endings ?? [], failure: error, lost, kernels: 0 };
  }
}
