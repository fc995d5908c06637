/** The kernels of an input with all that is derived of them. */
import { KERNEL_TYPES } from '../prof/input/record-types.js';
import type { Annotated } from '../prof/annotate.js';
import { Annotator } from '../prof/report/report.js';
import { peaksFor, type DeviceOptions } from './choices.js';
import type { AnswerInput } from './options.js';
import { ofSource, reportEndings, sourceOf } from './reading.js';

/**
 * The kernels of an input, annotated: op and layer, FLOPs and bytes, use of the matrix unit, place under the roofline; in
 * the order of their records. What `COLUMNS` show comes from them, what `parseWhere` makes chooses among them.
 * @throws UserError for what cannot be read
 */
export async function* kernels(input: AnswerInput, options: DeviceOptions = {}): AsyncGenerator<Annotated, void> {
  const annotator = new Annotator(peaksFor(options));
  const source = await sourceOf(input, { types: KERNEL_TYPES }, options);
  try {
    for await (const batch of source.batches) for (const record of batch) yield* annotator.take(record);
    // Kernels that waited for others of their op call.
    yield* annotator.rest();
    reportEndings(source, options);
  } catch (error) {
    throw ofSource(error, source);
  } finally {
    source.close();
  }
}
