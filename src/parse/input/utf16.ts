/** Texts in UTF-16, which editors and shells of Windows write: none is read, and each is named. */
import { UserError } from '../../record/errors.js';

/** What such a file is, and what to do with it. */
export const UTF16 = { title: 'text in UTF-16', hint: 'convert it to UTF-8: iconv -f UTF-16 -t UTF-8 FILE' } as const;

/** By its byte order mark, or by the zero in every other byte of its first characters. */
export const isUtf16 = (head: Uint8Array): boolean =>
  [
    [0xff, 0xfe],
    [0xfe, 0xff],
    [ASCII, 0, ASCII, 0],
    [0, ASCII, 0, ASCII],
  ].some((pattern) => pattern.every((byte, at) => (byte === ASCII ? isAscii(head[at]) : head[at] === byte)));

/** In a pattern of bytes: any printable character, or white space. */
const ASCII = -1;
const isAscii = (byte = 0): boolean => (byte >= 32 && byte < 127) || (byte >= 9 && byte <= 13);

export class Utf16Input extends UserError {}

/** @throws Utf16Input for a text in UTF-16 */
export function refuseUtf16(head: Uint8Array, where: string): void {
  if (isUtf16(head)) throw new Utf16Input(`is ${UTF16.title}`, { where, hint: UTF16.hint });
}
