// Calls to the service: one function makes them, and all replies have one form.

// The caller's key. It lives in this variable and goes into one header.
let key = "";

export const currentKey = () => key;

export const useKey = (given) => { key = given; };

// A letter that no header carries, as of a key copied from a letter, is as wrong as any other.
export const keyHeaders = () => ({ "Taxd-Leitor": "pessoa", ...(key ? { "X-API-Key": key.replace(/[^!-~]/g, "?") } : {}) });

// A document with the sentences that are meant for people in place of the contract's.
export const said = (body) => body && { ...body, ...body.leitor };

// The same without them: what the contract promises.
const ofContract = (body) => {
  if (!body?.leitor) return body;
  const { leitor, ...rest } = body;
  return rest;
};

// Status, body (null if it is not JSON), what it says to people, headers and time of a call. Status 0 means that no answer came.
export async function call(path, options = {}) {
  const headers = keyHeaders();
  if (options.body !== undefined) headers["Content-Type"] = "application/json";
  const started = performance.now();
  try {
    const response = await fetch(path, { cache: "no-store", ...options, headers });
    return await replyOf(response, started);
  } catch {
    return noReply(started);
  }
}

export async function replyOf(response, started) {
  const body = parsed(await response.text());
  return { status: response.status, body: ofContract(body), said: said(body), headers: response.headers, ms: performance.now() - started };
}

export const noReply = (started) => ({ status: 0, body: null, said: null, headers: new Headers(), ms: performance.now() - started });

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

export const requestId = (reply) => reply.body?.request_id ?? reply.headers.get("x-request-id");

// A path with those of the parameters that say something.
export function withQuery(path, parameters) {
  const said = Object.entries(parameters).filter(([, value]) => value !== "" && value !== undefined && value !== null);
  const query = new URLSearchParams(said).toString();
  return query ? `${path}?${query}` : path;
}
