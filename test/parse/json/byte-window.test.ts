import { expect } from 'chai';
import fc from 'fast-check';
import { Diagnostics } from '../../../src/record/diagnostics.js';
import { ByteWindow, STEP } from '../../../src/parse/input/byte-window.js';
import { EVENT } from '../../../src/parse/json/event-fields.js';
import type { TraceHeader } from '../../../src/parse/json/event-stream.js';
import { readTrace } from '../../../src/parse/json/read-trace.js';
import { kernel, kernels, launch, op, traceText, writeTrace } from '../../support/kineto-trace.js';

/** Names of all events, and the header. */
function readBy(step: number, text: string): [names: string[], header: TraceHeader, odd: Record<string, number>] {
  const names: string[] = [];
  const diagnostics = new Diagnostics();
  const header = readTrace(writeTrace(text), 't', [], diagnostics, ({ fields }) => {
    names.push(fields.bytes.toString('utf8', fields.from[EVENT.name], fields.to[EVENT.name]));
  }, { step }); // prettier-ignore
  return [names, header, diagnostics.toJSON()];
}

describe('ByteWindow', () => {
  it('moves forwards and keeps the bytes from a position on', () => {
    const window = new ByteWindow(writeTrace('0123456789'), 4);
    const held = (): string => window.bytes.toString('latin1', 0, window.end);
    expect(window.more(0)).to.equal(true);
    expect(held()).to.equal('0123');
    expect(window.more(3)).to.equal(true);
    expect(held()).to.equal('3456');
    expect(window.more(0)).to.equal(true);
    expect(held(), 'a value larger than the window').to.equal('3456789');
    expect(window.more(5)).to.equal(false);
    expect(held()).to.equal('89');
    expect(window.more(1)).to.equal(false);
    window.close();
  });

  const text = traceText(
    [op('aten::mm', 0, 5, { 'Input Dims': [[2, 3], []] }), launch(1, 1), kernel('a "quoted\\" 核 name', 1, 9)],
    '"metadata": {"env": {"A": "]}\\""}}, "deviceProperties": [{"id": 0, "name": "A100"}], "baseTimeNanoseconds": 5',
  );

  it('reads the same however small its steps are', () => {
    const whole = readBy(STEP, text);
    expect(whole[0]).to.have.length(3);
    expect(whole[1]).to.deep.equal({
      deviceProperties: [{ id: 0, name: 'A100' }],
      distributedInfo: null,
      baseTimeNanoseconds: '5',
    });
    expect(whole[2]).to.deep.equal({});
    for (let step = 1; step < 80; step++) expect(readBy(step, text), `step ${step}`).to.deep.equal(whole);
  });

  it('cut anywhere, returns the events before the cut, for any step', () => {
    fc.assert(
      fc.property(fc.integer({ min: text.indexOf('traceEvents') + 15, max: text.length - 1 }), fc.integer({ min: 1, max: 64 }), (end, step) => {
        const part = text.slice(0, end);
        const [names, , odd] = readBy(step, part);
        // One event per line.
        const whole = part.split('\n').filter((line) => /^\{"ph".*\}\},?$/.test(line)).length;
        expect(names).to.have.length(whole);
        expect(odd).to.deep.equal({ 'truncated-input': 1 });
      }),
    ); // prettier-ignore
  });

  it('events across the border of 4 MB are read', () => {
    // Longer and longer pieces before each event let borders fall on every place of some of them.
    const events = Array.from({ length: 600 }, (_, n) =>
      kernel(`k${n}`, n, n * 20, { pad: 'x'.repeat(20_000 + n * 7) }),
    );
    const read = kernels(events);
    expect(read.map(({ name, corr, start }) => [name, corr, start])).to.deep.equal(
      events.map((_, n) => [`k${n}`, n, n * 20_000]),
    );
  });

  it('an event larger than the window is read', () => {
    const read = kernels([kernel('a', 1, 0), kernel('b', 2, 20, { pad: 'x'.repeat(STEP * 2) }), kernel('c', 3, 40)]);
    expect(read.map(({ name }) => name)).to.deep.equal(['a', 'b', 'c']);
  });

  it('a list next to the events may be of any size', () => {
    const large = `"memory": [${'{"a": "b]"},'.repeat(700_000)}{}]`;
    expect(readBy(STEP, traceText([kernel('a', 1, 0)], large))[0]).to.deep.equal(['a']);
  });
});
