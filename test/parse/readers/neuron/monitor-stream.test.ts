/** How a stream of reports is recognised, and taken apart into lines. */
import { expect } from 'chai';
import { ByteLines, isMonitorStream, neuronMonitor } from '../../../../src/parse/readers/neuron/monitor.js';

describe('a stream of reports', () => {
  const YES = [
    '{"neuron_runtime_data":[{"pid":1',
    ' \n{ "neuron_runtime_data" : null',
    '\ufeff{"timestamp":"a } \\" [","x":[{"y":1}],"system_data":{"v',
    '{"runtime_data":[',
    '{"instance_info":{',
    '{"a":1}\n'.replace('"a":1', '"neuron_hardware_info":{}'),
  ];
  const NO = [
    'neuron_runtime_data',
    '[{"neuron_runtime_data":[]}]',
    '{"traceEvents":[{"neuron_runtime_data":[]}]}\n',
    '{"args":{"system_data":{}}}\n',
    '{"text":"\\"system_data\\":{}"}\n',
    '{"system_data":3}\n',
    '{"neuron_runtime_data":{}}\n',
    '{"summary":[{"total_time":1}]}\n',
    '{"a":1}\n{"neuron_runtime_data":[]}\n',
  ];
  const MORE = ['', ' \n', '{', '{"timestamp":1,', '{"neuron_runtime_d', '{"neuron_runtime_data"'];

  for (const [verdict, texts] of [['yes', YES], ['no', NO], ['more', MORE]] as const) {
    for (const text of texts) {
      it(`${verdict}: ${JSON.stringify(text)}`, () => {
        expect(isMonitorStream(text)).to.equal(verdict);
      });
    }
  } // prettier-ignore

  it('may have messages before it, in a file', () => {
    const probe = { file: 'f', path: 'f', folder: null, database: null };
    const sniff = (text: string): boolean => neuronMonitor.sniff({ ...probe, head: Buffer.from(text) });
    expect(sniff('starting\n{"neuron_runtime_data":[]}\n')).to.equal(true);
    expect(sniff('starting\n{"other":[]}\n')).to.equal(false);
    expect(sniff('')).to.equal(false);
  });
});

describe('lines of bytes', () => {
  const TEXT = 'a\nbé\n\n€uro\nlast';
  const LINES = ['a', 'bé', '', '€uro'];

  it('are the same in whatever pieces the bytes come', () => {
    const bytes = Buffer.from(TEXT);
    for (let size = 1; size <= bytes.length; size++) {
      const lines = new ByteLines();
      const found: string[] = [];
      const piece = Buffer.alloc(size);
      for (let at = 0; at < bytes.length; at += size) {
        // The same bytes over and over, as a reader has them.
        const n = bytes.copy(piece, 0, at);
        found.push(...lines.take(piece.subarray(0, n)));
      }
      expect(found).to.deep.equal(LINES);
      expect(lines.rest()).to.equal('last');
    }
  });

  it('are dropped when they are too long, and counted', () => {
    const lines = new ByteLines(4);
    expect([...lines.take(Buffer.from('abcd\nabcde\nx\nabc'))]).to.deep.equal(['abcd', 'x']);
    expect([...lines.take(Buffer.from('def\ny'))]).to.deep.equal([]);
    expect([...lines.take(Buffer.from('\n'))]).to.deep.equal(['y']);
    expect(lines.tooLong).to.equal(2);
    expect([...lines.take(Buffer.from('abcdef'))]).to.deep.equal([]);
    expect(lines.rest()).to.equal(null);
    expect(lines.tooLong).to.equal(3);
  });
});
