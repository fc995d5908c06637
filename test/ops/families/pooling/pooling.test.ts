import { expect } from 'chai';
import { amount, backward, int, list } from '../../../support/amounts.js';
import { call, t, v } from '../../../support/calls.js';

const F = 'torch.nn.functional';
const x = t([8, 64, 56, 56]);
// 1605632 elements, 6422528 bytes; 28·28 results per plane: 401408

describe('pooling', () => {
  it('is one operation per window element; max pooling writes positions', () => {
    expect(amount(call(`${F}.max_pool2d`, x, int(2)))).to.equal('main 1605632 11239424'); // 6422528 + 401408·(4 + 8)
    expect(amount(call(`${F}.avg_pool2d`, x, int(2)))).to.equal('main 1605632 8028160'); // 6422528 + 401408·4
    expect(amount(call(`${F}.max_pool2d`, x, int(2)), backward)).to.equal('main 401408 11239424');
    expect(amount(call(`${F}.avg_pool2d`, x, int(2)), backward)).to.equal('main 1605632 8028160');
  });
  it('follows stride, padding, dilation and the rounding mode', () => {
    const plane = t([1, 1, 7, 7]); // 49 elements, 196 bytes
    // (7 + 2 − 2 − 1)/2 + 1 = 4 each way: 16 results of 9
    expect(amount(call(`${F}.max_pool2d`, plane, int(3), int(2), int(1)))).to.equal('main 144 388'); // 196 + 16·12
    // (7 − 2·2 − 1)/1 + 1 = 3 each way: 9 results of 9
    expect(amount(call(`${F}.max_pool2d`, plane, int(3), int(1), int(0), int(2)))).to.equal('main 81 304');
    // ceil((7 − 2)/2) + 1 = 4 instead of 3: 16 results of 4
    expect(amount(call(`${F}.avg_pool2d`, plane, int(2), int(2), int(0), v(true)))).to.equal('main 64 260');
    // ceil((7 + 2 − 1 − 1)/2) + 1 = 5, but the fifth window begins at 8 − 1 = 7, outside: 4
    expect(amount(call(`${F}.avg_pool2d`, plane, int(2), int(2), int(1), v(true)))).to.equal('main 64 260');
  });
  it('takes lists, with an extent for each dimension', () => {
    const video = t([1, 7, 64, 64, 64]); // 1835008 elements, 7340032 bytes; results 7·64·32·32 = 458752
    const sizes = list([1, 2, 2]);
    expect(amount(call(`${F}.avg_pool3d`, video, sizes, sizes, int(0), v(false)))).to.equal('main 1835008 9175040');
    expect(amount(call(`${F}.avg_pool1d`, t([2, 8]), list([2]), list([])))).to.equal('main 16 96'); // 16 in, 8 out
  });
  it('shares the input out in adaptive windows', () => {
    expect(amount(call(`${F}.adaptive_avg_pool2d`, x, int(1)))).to.equal('main 1605632 6424576'); // + 512·4
    const kept = call(`${F}.adaptive_avg_pool2d`, x, { name: '', type: 'tuple', value: [null, 7] });
    expect(amount(kept)).to.equal('main 1605632 7225344'); // + 8·64·56·7·4
  });
  it('does not fit invalid windows', () => {
    expect(amount(call(`${F}.max_pool2d`, x))).to.equal(null);
    expect(amount(call(`${F}.max_pool2d`, x, list([2, 2, 2])))).to.equal(null);
    expect(amount(call(`${F}.max_pool2d`, t([4]), int(2)))).to.equal(null);
    expect(amount(call(`${F}.max_pool2d`, x, int(0)))).to.equal(null);
    expect(amount(call(`${F}.adaptive_avg_pool2d`, t([4]), int(2)))).to.equal(null);
    expect(amount(call(`${F}.adaptive_avg_pool2d`, x, int(0)))).to.equal(null);
    expect(amount(call(`${F}.avg_pool2d`))).to.equal(null);
  });
});
