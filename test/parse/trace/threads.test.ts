import { expect } from 'chai';
import { ThreadTable } from '../../../src/parse/trace/threads.js';

describe('threads', () => {
  it('number processes by key, so that equal pids on two machines are two processes', () => {
    const threads = new ThreadTable();
    const one = threads.process(0x1_000_0a1, 0xa1);
    const two = threads.process(0x2_000_0a1, 0xa1);
    expect(two).not.to.equal(one);
    expect(threads.process(0x1_000_0a1, 0xa1)).to.equal(one);
    expect([threads.pid(one), threads.pid(two)]).to.deep.equal([0xa1, 0xa1]);
  });

  it('number threads by process and tid', () => {
    const threads = new ThreadTable();
    const [one, two] = [threads.process(1, 11), threads.process(2, 22)];
    const a = threads.thread(one, 5);
    const b = threads.thread(two, 5);
    expect(b).not.to.equal(a);
    expect(threads.thread(one, 5)).to.equal(a);
    expect(threads.count).to.equal(2);
    expect([threads.processOf(b), threads.tid(b)]).to.deep.equal([two, 5]);
  });

  it('compare by pid, then tid, whatever came first', () => {
    const threads = new ThreadTable();
    const late = threads.thread(threads.process(2, 22), 1);
    const early = threads.thread(threads.process(1, 11), 9);
    const earlier = threads.thread(threads.process(1, 11), 3);
    expect([late, early, earlier].sort((a, b) => threads.compare(a, b))).to.deep.equal([earlier, early, late]);
    expect(threads.compare(early, early)).to.equal(0);
  });

  it('refuse a process that is not there', () => {
    expect(() => new ThreadTable().pid(0)).to.throw(RangeError);
  });
});
