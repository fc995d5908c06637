import { expect } from 'chai';
import { operandsOf, patternOf, type Operand } from '../../../src/ops/neuron/instruction-work.js';
import { CAPTURES, realFile } from '../../parse/readers/neuron/tool-json-files.js';
import { itShared } from '../../support/shared.js';

const only = (text: string): Operand => {
  const [operand, ...others] = operandsOf(text);
  if (operand === undefined || others.length > 0) throw new Error(`${others.length + 1} operands, not one`);
  return operand;
};

describe('an operand of an instruction', () => {
  for (const [text, kind, name, rest, owner] of [
    ['S[5] (Tensor)>=24', 'wait', 'S[5]', '>=24', 'Tensor'],
    ['$S[2]==3', 'wait', '$S[2]', '==3', ''],
    ['S[4] (Scalar)++@complete', 'update', 'S[4]', '++@complete', 'Scalar'],
    ['$S[2]+=1@complete', 'update', '$S[2]', '+=1@complete', ''],
    ['$S[2]=0@complete', 'update', '$S[2]', '=0@complete', ''],
    ['$E[4]==1-', 'event', '$E[4]', '==1-', ''],
    ['src=fp32@0x7f[-1,0,-32][32,1,4]', 'pattern', 'src', 'fp32@0x7f[-1,0,-32][32,1,4]', ''],
    ['src_pattern=[2048,1][128,1]', 'pattern', 'src_pattern', '[2048,1][128,1]', ''],
    ['data=$R[130],$R[131]', 'register', 'data', '$R[130],$R[131]', ''],
    ['imm=0xa060,0', 'value', 'imm', '0xa060,0', ''],
    ['bias_ptr=fp32@0xc040', 'value', 'bias_ptr', 'fp32@0xc040', ''],
    ['scale=1.000000', 'value', 'scale', '1.000000', ''],
    ['imm=1e-05', 'value', 'imm', '1e-05', ''],
    ['acc_flags=3', 'value', 'acc_flags', '3', ''],
    ['fp32_mode=LOW_HIGH', 'word', 'fp32_mode', 'LOW_HIGH', ''],
    ['EXP', 'word', '', 'EXP', ''],
    ['128*128', 'extents', '', '128*128', ''],
    ['a=b=c', 'word', 'a', 'b=c', ''],
    ['=', 'word', '', '=', ''],
  ] as const) {
    it(text, () => expect(only(text)).to.deep.equal({ kind, name, text: rest, owner }));
  }

  it('that is a pattern has extents, strides, bytes and its memory', () => {
    // 32 · 1 · 4 elements of 2 bytes each.
    expect(patternOf(only('src=bfloat16@0x378f6[-1,0,-32][32,1,4]'))).to.deep.equal({
      ...{ dtype: 'bfloat16', address: '0x378f6', memory: 'SBUF', strides: [-1, 0, -32], sizes: [32, 1, 4] },
      ...{ elements: 128, bytes: 256 },
    });
    expect(patternOf(only('dst=0x2000000[1][512]'))).to.include({ memory: 'PSUM', bytes: null, elements: 512 });
    expect(patternOf(only('addr=uint32@0x8005c035e000[0,0][1,1]'))).to.include({ memory: null, bytes: 4 });
    expect(patternOf(only('acc_flags=3'))).to.equal(null);
  });
});

describe('operands', () => {
  it('of no text are none', () => expect(operandsOf('  ')).to.deep.equal([]));

  for (const capture of CAPTURES) {
    itShared(`${capture}: none is lost, and patterns agree with the tool's counts`, [capture], ([path = '']) => {
      const checked = { products: 0, bytes: 0, transfers: 0 };
      for (const row of realFile(path).tables['instruction'] ?? []) {
        const text = String(row['operands']);
        const operands = operandsOf(text);
        const again = operands.map(({ kind, name, owner, text: rest }) => {
          const isNamed = ['wait', 'update', 'event'].includes(kind);
          return isNamed ? `${name}${owner === '' ? '' : ` (${owner})`}${rest}` : name === '' ? rest : `${name}=${rest}`;
        });
        expect(again.join(' ')).to.equal(text.trim().replace(/\s+/g, ' '));
        const named = (name: string): Operand | undefined => operands.find((each) => each.name === name);
        const [src, dst] = ['src', 'dst'].map((name) => named(name)).map((each) => (each ? patternOf(each) : null));
        if (typeof row['elements'] === 'number') {
          const [rows = NaN, columns = NaN] = operands.find(({ kind }) => kind === 'extents')?.text.split('*') ?? [];
          expect(Number(rows) * Number(columns) * (src?.elements ?? NaN)).to.equal(row['elements']);
          checked.products++;
        }
        for (const [pattern, way] of [[src, 'read'], [dst, 'write']] as const) {
          if (typeof pattern?.bytes !== 'number' || pattern.memory === null) continue;
          expect(pattern.bytes).to.equal(row[`${pattern.memory.toLowerCase()}_${way}_bytes`]);
          checked.bytes++;
        }
        for (const [side, way] of [['src', 'read'], ['dst', 'write']] as const) {
          const pattern = named(`${side}_pattern`);
          if (pattern === undefined) continue;
          const moved = row[`hbm_${way}_bytes`] ?? row[`sbuf_${way}_bytes`];
          expect((patternOf(pattern)?.elements ?? NaN) * Number(named(`${side}_elem_size`)?.text)).to.equal(moved);
          checked.transfers++;
        }
      }
      expect(checked.products).to.be.above(50);
      expect(checked.bytes).to.be.above(150);
      expect(checked.transfers).to.be.above(8);
    });
  }
}); // prettier-ignore
