import { expect } from 'chai';
import { textClock } from '../../../../src/parse/trace/clocks/trace-clock.js';

describe('times in texts', () => {
  it('are exact after one of them, above 2^53 too', () => {
    const timeIn = textClock(['1782000000000000001', '1782000000000000004', '1782000000000000009']);
    expect([9, 4, 1].map((last) => timeIn(`178200000000000000${last}`))).to.deep.equal([5, 0, -3]);
  });

  it('are unknown where a text is no time or 0', () => {
    expect(['', '0', 'x', '1.5', '-4'].map(textClock(['', 'x', '7']))).to.deep.equal([null, null, null, null, null]);
  });
});
