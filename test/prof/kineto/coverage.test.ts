/** How much of the kernels' time has FLOPs and bytes, by trace: at least what is written down here. */
import { expect } from 'chai';
import type { Annotated } from '../../../src/prof/annotate.js';
import { fileOf, rowsOf, TRACES } from '../../support/kineto.js';
import { itShared } from '../../support/shared.js';

/** Whole per cent of kernel time. */
interface Known {
  readonly flops: number;
  readonly bytes: number;
  readonly both: number;
  /** Both, in the time of kernels whose launch is in the trace: the others have no op. */
  readonly launched: number;
  /** What the rest is. */
  readonly rest?: string;
}

const known = (flops: number, bytes: number, both: number, launched: number, rest?: string): Known => ({
  ...{ flops, bytes, both, launched },
  ...(rest === undefined ? undefined : { rest }),
});

// prettier-ignore
const KNOWN: Readonly<Record<(typeof TRACES)[number], Known>> = {
  //                                flops bytes both launched
  h100_bert_small:            known(100, 100, 100, 100),
  h100_vit:                   known(100, 100, 100, 100),
  h100_qwen:                  known( 69,  69,  69, 100, 'kernels of launches before the trace begins'),
  h100_owlv2:                 known( 99,  99,  99,  99, 'an index whose elements are not recorded'),
  b200_rank0of8:              known( 39,  39,  39,  39, 'mixtures of experts whose weights are not arguments; attention to a cache'),
  mi300_bert_small:           known(100, 100, 100, 100),
  mi300_resnet_training:      known( 68,  68,  68,  99, 'kernels of launches before the trace begins'),
  mi300_norm_layers_training: known(100, 100, 100, 100),
  mi210_gpu_only:             known(  0,   0,   0,   0, 'the trace has no host events'),
  mi300_hipgraph_decode:      known(  0,   0,   0,   0, 'graph kernels, recorded before the trace begins'),
  a100_rank3of8_training:     known( 80,  45,  45,  45, 'exchanges whose result is not recorded; backward nodes without an op'),
  a100_alexnet_seq:           known(  0,   0,   0,   0, 'the trace has no shapes'),
  a100_nccl_metadata:         known( 28,  28,  28,  28, 'the trace has no shapes: only collectives are known'),
  v100_resnet50_2021:         known( 99,  99,  99,  99, 'pooling whose window is not recorded'),
};

function share(rows: readonly Annotated[], of: (row: Annotated) => boolean): number {
  const time = (some: readonly Annotated[]): number => some.reduce((sum, { record }) => sum + (record.dur ?? 0), 0);
  const all = time(rows);
  return all === 0 ? 0 : (100 * time(rows.filter(of))) / all;
}

const hasFlops = ({ flops }: Annotated): boolean => flops !== null;
const hasBytes = ({ bytes }: Annotated): boolean => bytes !== null;
const hasBoth = (row: Annotated): boolean => hasFlops(row) && hasBytes(row);

describe('share of kernel time with FLOPs and bytes', () => {
  for (const trace of TRACES) {
    const { rest, ...expected } = KNOWN[trace];
    itShared(rest === undefined ? trace : `${trace}: ${rest}`, [fileOf(trace)], async () => {
      const rows = await rowsOf(trace);
      const found = {
        flops: share(rows, hasFlops),
        bytes: share(rows, hasBytes),
        both: share(rows, hasBoth),
        launched: share(
          rows.filter(({ record }) => record.launch !== null),
          hasBoth,
        ),
      };
      for (const key of Object.keys(found) as (keyof typeof found)[]) {
        expect(found[key], key).to.be.within(expected[key], 100);
      }
    });

    itShared(`${trace}: says why where it is not known`, [fileOf(trace)], async () => {
      for (const row of await rowsOf(trace)) expect(row.reason === null, String(row.reason)).to.equal(hasBoth(row));
    });
  }
});
