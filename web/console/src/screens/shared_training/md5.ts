// MD5 of bytes, as manifests of artifacts name files. Browsers offer no MD5, because it protects nothing.

const SHIFTS = [7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21];
const SINES = Array.from({ length: 64 }, (_, index) => Math.floor(Math.abs(Math.sin(index + 1)) * 2 ** 32) >>> 0);

function padded(bytes: Uint8Array): DataView {
  const length = (((bytes.length + 8) >>> 6) + 1) << 6;
  const block = new Uint8Array(length);
  block.set(bytes);
  block[bytes.length] = 0x80;
  const view = new DataView(block.buffer);
  view.setUint32(length - 8, (bytes.length << 3) >>> 0, true);
  view.setUint32(length - 4, Math.floor(bytes.length / 2 ** 29), true);
  return view;
}

/** Returns the function and the index of the word of a round. */
function mix(round: number, b: number, c: number, d: number): [value: number, word: number] {
  if (round < 16) return [(b & c) | (~b & d), round];
  if (round < 32) return [(d & b) | (~d & c), (5 * round + 1) % 16];
  if (round < 48) return [b ^ c ^ d, (3 * round + 5) % 16];
  return [c ^ (b | ~d), (7 * round) % 16];
}

export function md5(bytes: Uint8Array): Uint8Array {
  const view = padded(bytes);
  const state = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476];
  for (let start = 0; start < view.byteLength; start += 64) {
    let [a = 0, b = 0, c = 0, d = 0] = state;
    for (let round = 0; round < 64; round += 1) {
      const [value, word] = mix(round, b, c, d);
      const sum = (a + value + SINES[round]! + view.getUint32(start + word * 4, true)) | 0;
      const shift = SHIFTS[(round >> 4) * 4 + (round % 4)]!;
      [a, d, c, b] = [d, c, b, (b + ((sum << shift) | (sum >>> (32 - shift)))) | 0];
    }
    [a, b, c, d].forEach((value, index) => {
      state[index] = (state[index]! + value) | 0;
    });
  }
  const digest = new DataView(new ArrayBuffer(16));
  state.forEach((value, index) => digest.setUint32(index * 4, value >>> 0, true));
  return new Uint8Array(digest.buffer);
}

/** Returns the MD5 in Base64. */
export function md5Base64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...md5(bytes)));
}
