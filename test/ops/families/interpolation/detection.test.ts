import { expect } from 'chai';
import { float, int, workOf } from '../../../support/amounts.js';
import { none, t, v } from '../../../support/calls.js';
import type { Arg, OpCall } from '../../../../src/record/record.js';

const amount = (op: string, ...args: readonly Arg[]): string | null => {
  const call: OpCall = { mod: 'torchvision', op, args, from: 'dispatcher' };
  const work = workOf(call);
  return work === null ? null : `${work.flops ?? 'na'} ${work.bytes ?? 'na'}`;
};
const unspecified: Arg = { name: '', type: 'unknown' };
const map = t([2, 16, 32, 32]); // 131072 bytes
const regions = t([10, 5]); // 200 bytes

describe('ops of object detection', () => {
  it('resample regions', () => {
    // 10·16·7·7 = 7840 results with four samples each: 8·4 + 1
    const sizes = [float(0.25), int(7), int(7)];
    expect(amount('roi_align', map, regions, ...sizes, int(2), v(true))).to.equal('258720 162632');
    expect(amount('roi_align', map, regions, ...sizes, int(-1), v(true))).to.equal('na 162632');
    expect(amount('roi_align', map, regions, unspecified, unspecified, unspecified, unspecified, unspecified)).to.equal(
      'na na',
    );
    const back = [t([10, 16, 7, 7]), regions, ...sizes, int(2), int(16), int(32), int(32)];
    expect(amount('_roi_align_backward', ...back, int(2), v(true))).to.equal('250880 162632'); // 8·4 each
    expect(amount('roi_pool', map, regions, ...sizes)).to.equal('na 193992'); // positions of 4 bytes too
  });
  it('suppress boxes', () => {
    // 130·129/2 pairs; 130 boxes of 16 bytes, three words of 8 for each
    expect(amount('nms', t([130, 4]), t([130]), float(0.5))).to.equal('159315 5200');
    expect(amount('nms', t([130]), t([130]), float(0.5))).to.equal(null);
  });
  it('lay out columns at moved positions', () => {
    // columns [1, 4·9, 8, 8] = 2304: 7 each, 8 with a mask; input 1024, offsets 4608, mask 2304, columns 9216
    const [input, weight, offset, bias] = [t([1, 4, 8, 8]), t([6, 4, 3, 3]), t([1, 18, 8, 8]), t([6])];
    const rest = [1, 1, 1, 1, 1, 1, 1, 1].map((value) => int(value));
    expect(amount('deform_conv2d', input, weight, offset, t([1, 9, 8, 8]), bias, ...rest, v(true))).to.equal(
      '18432 17152',
    );
    expect(amount('deform_conv2d', input, weight, offset, t([0, 1]), bias, ...rest, v(false))).to.equal('16128 14848');
    expect(amount('deform_conv2d', input, weight, none, none, bias, ...rest, v(false))).to.equal(null);
  });
});
