/** Secrets of many kinds to plant in profiles, and the search for them in bytes of any form. */
import { gunzipSync } from 'node:zlib';

export interface Secret {
  /** What is planted. */
  readonly text: string;
  /** The part that must not be found. */
  readonly core: string;
}

/** Kinds of secrets; each has a part with the number. */
const KINDS: readonly ((n: number) => Secret)[] = [
  (n) => ({ text: `hjalmar${n}zq`, core: `hjalmar${n}zq` }),
  (n) => ({ text: `node-${n}q.zcorp.example`, core: `node-${n}q.zcorp` }),
  (n) => ({ text: `/home/hjalmar${n}zq/proj/train.py`, core: `hjalmar${n}zq` }),
  (n) => ({ text: `C:\\Users\\hjalmar${n}zq\\model.py`, core: `hjalmar${n}zq` }),
  (n) => ({ text: `hjalmar${n}zq@zcorp.example`, core: `hjalmar${n}zq` }),
  (n) => ({ text: `sk-live-${n}Zq7Xw9Kp2`, core: `${n}Zq7Xw9Kp2` }),
  (n) => ({ text: `10.213.${n >> 8}.${n & 255}`, core: `10.213.${n >> 8}.${n & 255}` }),
  (n) => ({ text: `fe80::9${n}:aced:bead`, core: `9${n}:aced:bead` }),
  (n) => ({ text: `https://hjalmar${n}zq:pw@zcorp.example/x?y=1`, core: `hjalmar${n}zq` }),
  (n) => ({ text: `python train.py --password=hjalmar${n}zq`, core: `hjalmar${n}zq` }),
  (n) => ({ text: `AWS_SECRET_ACCESS_KEY=${n}wJalrXUtnFEMI`, core: `${n}wJalrXUtnFEMI` }),
  (n) => ({ text: `Jörg Ωmega-${n} 日本`, core: `Ωmega-${n}` }),
  (n) => ({ text: `5f0${n}a9c1-77aa-4c0e-9d1b-0242ac13${n}`, core: `0${n}a9c1-77aa` }),
  (n) => ({
    text: `02:42:ac:13:${String(n % 90).padStart(2, '0')}:${n}`,
    core: `ac:13:${String(n % 90).padStart(2, '0')}:${n}`,
  }),
  (n) => ({ text: `"quoted" <hjalmar${n}zq> & 'more'`, core: `hjalmar${n}zq` }),
  (n) => ({ text: `Project-Zeppelin${n}zq phase II`, core: `Zeppelin${n}zq` }),
  (n) => ({ text: `srun --account=zcorp${n}zq -w gpu-[01-04] bash run.sh`, core: `zcorp${n}zq` }),
  (n) => ({ text: Buffer.from(`user:hjalmar${n}zq@zcorp`).toString('base64'), core: `hjalmar${n}zq` }),
  (n) => ({ text: `%2Fhome%2Fj%C3%B6rg${n}zq%2Frun`, core: `jörg${n}zq` }),
  (n) => ({ text: `\\u006a\\u00f6rg${n}zq said "hi"\\n`, core: `00f6rg${n}zq` }),
  (n) => ({ text: Array.from(`hjalmar${n}zq`).join('\0'), core: `hjalmar${n}zq` }),
  (n) => ({ text: Buffer.from(`hjalmar${n}zq`).toString('hex'), core: `hjalmar${n}zq` }),
];

/** Kinds that cannot be part of the name of a function: names of kernels are kept if they can. */
const NO_FUNCTIONS = [2, 3, 4, 6, 8];

/** Hands out secrets, each once. */
export class Secrets {
  readonly planted: Secret[] = [];

  readonly next = (): string => this.#plant(KINDS[this.planted.length % KINDS.length]);

  /** A secret that is not the name of a function. */
  readonly noFunction = (): string => this.#plant(KINDS[NO_FUNCTIONS[this.planted.length % NO_FUNCTIONS.length] ?? 2]);

  #plant(kind: ((n: number) => Secret) | undefined): string {
    const secret = kind?.(100 + this.planted.length) ?? { text: '', core: '' };
    this.planted.push(secret);
    return secret.text;
  }
}

const escapedIn = (text: string): string => JSON.stringify(text).slice(1, -1);

/** The bytes that show a text: plain, escaped in JSON and in URLs, in UTF-16, in hexadecimal digits, and in base64 at each alignment. */
function formsOf(text: string): Buffer[] {
  const escaped = escapedIn(text);
  const ascii = escaped.replace(/[^\x20-\x7e]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);
  const base64 = [0, 1, 2].map((shift) => {
    const whole = Buffer.concat([Buffer.alloc(shift), Buffer.from(text)])
      .toString('base64')
      .replace(/=+$/, '');
    // The first and last characters depend on the neighbours.
    return whole.slice(shift === 0 ? 0 : shift + 1, -2);
  });
  const wide = Array.from(text).join('\0');
  const hex = Buffer.from(text).toString('hex');
  const others = [text, escaped, ascii, encodeURIComponent(text), wide, escapedIn(wide), hex, hex.toUpperCase()];
  return [...new Set([...others, ...base64])].map((form) => Buffer.from(form)).concat(Buffer.from(text, 'utf16le'));
}

/** The secrets whose core is in the bytes of an output, also if they are compressed. */
export function foundIn(output: Buffer, secrets: readonly Secret[]): string[] {
  const bytes = output[0] === 0x1f && output[1] === 0x8b ? Buffer.concat([output, gunzipSync(output)]) : output;
  return secrets.filter(({ core }) => formsOf(core).some((form) => bytes.includes(form))).map(({ text }) => text);
}
