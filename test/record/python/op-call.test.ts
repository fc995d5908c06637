import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import fc from 'fast-check';
import { toOpCall } from '../../../src/record/python/marker-text.js';
import { isDict, parseLiteral, type PythonValue } from '../../../src/record/python/python-literal.js';
import { itShared } from '../../support/shared.js';

const read = (text: string) => toOpCall(parseLiteral(text));
const withArg = (arg: string) => read(`{'mod': 'torch', 'op': 'mm', 'args': [${arg}]}`)?.args ?? null;

describe('toOpCall', () => {
  it('reads tensors, scalars, lists and keywords', () => {
    const text =
      "{'mod': 'torch.nn.functional', 'op': 'conv2d', 'args': [" +
      "{'name': '', 'type': 'tensor', 'shape': (64, 1, 32, 32), 'dtype': 'float32'}, " +
      "{'name': 'bias', 'type': 'NoneType', 'value': None}, " +
      "{'name': 'stride', 'type': 'tuple', 'value': (1, [2, None])}, " +
      "{'name': '', 'type': 'bool', 'value': False}]}";
    expect(read(text)).to.deep.equal({
      mod: 'torch.nn.functional',
      op: 'conv2d',
      args: [
        { name: '', type: 'tensor', shape: [64, 1, 32, 32], dtype: 'float32' },
        { name: 'bias', type: 'NoneType', value: null },
        { name: 'stride', type: 'tuple', value: [1, [2, null]] },
        { name: '', type: 'bool', value: false },
      ],
    });
  });

  it('drops keys it does not know, of the call and of an argument', () => {
    const text =
      "{'mod': 'torch', 'op': 'relu', 'callid': 3, 'input_callids': [1], 'args': [" +
      "{'name': '', 'type': 'tensor', 'shape': (), 'dtype': 'float16', 'callid': 1}]}";
    expect(read(text)).to.deep.equal({
      mod: 'torch',
      op: 'relu',
      args: [{ name: '', type: 'tensor', shape: [], dtype: 'float16' }],
    });
  });

  it('takes calls without arguments, and arguments without a name', () => {
    expect(read("{'mod': 'torch', 'op': 'rand', 'args': []}")).to.deep.equal({ mod: 'torch', op: 'rand', args: [] });
    expect(withArg("{'type': 'int', 'value': 1}")).to.deep.equal([{ name: '', type: 'int', value: 1 }]);
  });

  it('keeps values that JSON cannot hold as text', () => {
    const value = (text: string) => withArg(`{'name': '', 'type': 'float', 'value': ${text}}`)?.[0]?.value;
    expect(value('inf')).to.equal('inf');
    expect(value('-inf')).to.equal('-inf');
    expect(value('nan')).to.equal('nan');
    expect(value('18446744073709551616')).to.equal('18446744073709551616');
    expect(value("{'a': 1}")).to.equal(undefined);
    expect(value("[1, {'a': 1}]")).to.equal(undefined);
  });

  describe('no call marker', () => {
    for (const text of [
      'None',
      '[1]',
      "'mod op args type'",
      '{}',
      "{'mod': 'torch', 'op': 'mm'}",
      "{'mod': 1, 'op': 'mm', 'args': []}",
      "{'mod': 'torch', 'op': None, 'args': []}",
      "{'mod': 'torch', 'op': 'mm', 'args': {'a': 1}}",
      "{'traceMarker': ['train.py:1']}",
    ]) {
      it(text, () => expect(read(text)).to.equal(null));
    }
  });

  describe('malformed argument', () => {
    for (const arg of [
      '1',
      '[]',
      '{}',
      "{'name': 1, 'type': 'int', 'value': 1}",
      "{'name': '', 'type': 'tensor', 'shape': (2, -1), 'dtype': 'float32'}",
      "{'name': '', 'type': 'tensor', 'shape': (2.5,), 'dtype': 'float32'}",
      "{'name': '', 'type': 'tensor', 'shape': 3, 'dtype': 'float32'}",
      "{'name': '', 'type': 'tensor', 'shape': (18446744073709551616,), 'dtype': 'float32'}",
      "{'name': '', 'type': 'tensor', 'shape': (2,), 'dtype': None}",
    ]) {
      it(arg, () => expect(withArg(arg)).to.equal(null));
    }
  });

  it('gives a call or null, and never throws, whatever the value', () => {
    const { value } = fc.letrec<{ value: PythonValue }>((tie) => ({
      value: fc.oneof(
        fc.constantFrom<PythonValue>(null, true, 'tensor', 2, 2.5, NaN, 2n ** 64n, '__proto__'),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom('mod', 'op', 'args', 'name', 'type', 'shape', 'dtype', 'value'), tie('value')),
      ),
    }));
    fc.assert(
      fc.property(value, (one) => {
        const call = toOpCall(one);
        if (call !== null) expect(JSON.parse(JSON.stringify(call))).to.deep.equal(call);
      }),
    );
  });

  itShared('reads every marker of a real run', ['data/nvprof/lm_v100.net.dict'], ([path = '']) => {
    let calls = 0;
    for (const line of readFileSync(path, 'utf8').trim().split('\n')) {
      const record = parseLiteral(line);
      if (!isDict(record)) throw new Error(`not a dict: ${line}`);
      const read = (record['marker'] as string[]).map((text) => toOpCall(parseLiteral(text)));
      expect(read.map((call) => call?.op)).to.deep.equal(read.length > 0 ? record['op'] : []);
      calls += read.length;
    }
    expect(calls).to.be.greaterThan(0);
  });
});
