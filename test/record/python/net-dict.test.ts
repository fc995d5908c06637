import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { NetDictReader } from '../../../src/prof/input/net-dict.js';
import { netDictOf } from '../../../src/record/python/net-dict.js';
import { kernel } from '../../support/kernels.js';
import { itShared } from '../../support/shared.js';

const DICTS = [
  'data/pyprof/nvidia.nsys.dict',
  'data/pyprof/nvidia.nvprof.dict',
  'data/pyprof/pyprof2.nsys.dict',
  'data/pyprof/pyprof2.nvprof.dict',
  'data/nvprof/lm_v100.net.dict',
];

describe("kernels as PyProf's dicts", () => {
  for (const file of DICTS) {
    itShared(`are those of ${file}, byte for byte, when they are read from it`, [file], ([path = '']) => {
      const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
      const reader = new NetDictReader();
      expect(lines.length).to.be.above(100);
      for (const [i, line] of lines.entries()) {
        const read = reader.kernel(line, i + 1);
        expect(read === null ? null : netDictOf(read)).to.equal(line);
      }
    });
  }

  it('have None for what is unknown, and every value of an argument as its type writes it', () => {
    const args = [
      { name: 'a', type: 'float', value: 2 },
      { name: '', type: 'int', value: '9007199254740993' },
      { name: '', type: 'tuple', value: [1] },
      { name: '', type: 'list', value: [true, null, 0.5] },
      { name: '', type: 'float', value: '-inf' },
      { name: '', type: 'list', items: [{ name: '', type: 'tensor', shape: [2], dtype: 'int8' }] },
    ];
    const unknown = { dur: null, stream: null, tid: null, grid: null, block: null, dir: null };
    const line = netDictOf(kernel({ ...unknown, calls: [{ mod: 'm', op: "it's", args }] }));
    expect(line).to.include("'kDuration': None,").and.to.include("'dir': 'fprop',");
    expect(line).to.include("'stream': None, 'grid': None, 'block': None,");
    const marker = [
      `{'mod': 'm', 'op': "it's", 'args': [{'name': 'a', 'type': 'float', 'value': 2.0}`,
      "{'name': '', 'type': 'int', 'value': 9007199254740993}",
      "{'name': '', 'type': 'tuple', 'value': (1,)}",
      "{'name': '', 'type': 'list', 'value': [True, None, 0.5]}",
      "{'name': '', 'type': 'float', 'value': '-inf'}",
      "{'name': '', 'type': 'tensor', 'shape': (2,), 'dtype': 'int8'}]}",
    ].join(', ');
    expect(line).to.include(`'marker': ['${marker.replaceAll("'", "\\'")}']`);
  });
});
