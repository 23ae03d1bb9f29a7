// Requests to the server, and its answers.

/** The response to GET, or with a body to POST. Throws an error with a readable message. */
export async function ask(path, body) {
  const options = body && {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  };
  let response;
  try {
    response = await fetch(path, options);
  } catch {
    throw new Error("The server does not answer. Is it still running?");
  }
  const unreadable = { error: `The server answered ${response.status}, without a result.` };
  const answer = await response.json().catch(() => unreadable); // such as the page of a proxy's login
  if (!response.ok || answer.error) throw new Error(sentence(answer.error ?? unreadable.error));
  return answer;
}

/** The numbers of an array in an answer: half-precision floats in base 64. */
export function numbers(packed) {
  const bytes = Uint8Array.from(atob(packed.float16), (letter) => letter.charCodeAt(0));
  const view = new DataView(bytes.buffer);
  return Float32Array.from({ length: bytes.length / 2 }, (_, index) => half(view.getUint16(2 * index, true)));
}

function half(bits) {
  const [sign, exponent, fraction] = [bits & 0x8000 ? -1 : 1, (bits >> 10) & 31, bits & 1023];
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  return sign * (exponent ? (1 + fraction / 1024) * 2 ** (exponent - 15) : fraction * 2 ** -24);
}

function sentence(message) {
  const first = message.charAt(0).toUpperCase() + message.slice(1);
  return /[.?!]$/.test(first) ? first : `${first}.`;
}
