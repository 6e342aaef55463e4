// Made by `npm run docs` from main.ts and @svc/client: do not edit.
// clients/github-action/main.ts
import { appendFileSync } from "node:fs";

// clients/typescript/src/errors.ts
class SvcError extends Error {
  name = "SvcError";
}

class ConnectionError extends SvcError {
  name = "ConnectionError";
}

class ApiError extends SvcError {
  name = "ApiError";
  status;
  code;
  details;
  executionId;
  runId;
  retryAfterSec;
  constructor(message, refusal) {
    super(message);
    this.status = refusal.status;
    this.code = refusal.code;
    this.details = refusal.details;
    this.executionId = refusal.executionId;
    this.runId = refusal.runId;
    this.retryAfterSec = refusal.retryAfterSec;
  }
}

class ApprovalPending extends SvcError {
  name = "ApprovalPending";
  approval;
  constructor(approval) {
    super(approval.message);
    this.approval = approval;
  }
}

class CommandFailed extends SvcError {
  name = "CommandFailed";
  result;
  constructor(result) {
    super(`the command ended with exit code ${result.exit_code}`);
    this.result = result;
  }
}
async function apiErrorOf(response) {
  const text = await response.text().catch(() => "");
  const body = objectOf(text);
  const retryAfter = response.headers.get("retry-after") ?? "";
  const message = typeof body.error === "string" ? body.error : `the service answered with status ${response.status}`;
  const details = isObject(body.details) ? body.details : {};
  return new ApiError(message, {
    status: response.status,
    code: textOf(body.code) ?? "unknown",
    details,
    executionId: textOf(body.execution_id ?? details.execution_id),
    runId: textOf(body.run_id ?? details.run_id),
    retryAfterSec: /^\d+$/.test(retryAfter) ? Number(retryAfter) : undefined
  });
}
function objectOf(text) {
  try {
    const value = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}
function isObject(value) {
  return typeof value === "object" && value !== null;
}
var textOf = (value) => typeof value === "string" ? value : undefined;

// clients/typescript/src/call-request.ts
class CallRequest {
  #transport;
  #path;
  #values;
  #options;
  #key;
  #method = "POST";
  #knownApproval;
  constructor(transport, target, values, options) {
    this.#transport = transport;
    this.#path = callPath(target, transport.username);
    this.#values = values;
    this.#options = options;
    this.#key = options.idempotencyKey ?? crypto.randomUUID();
  }
  async send(prefer = {}) {
    const { signal } = this.#options;
    return await this.#transport.retried(signal, async () => {
      const response = await this.#ask(prefer);
      if (response.ok)
        return await this.#answered(response);
      const refused = await apiErrorOf(response);
      const earlier = refused.code === "idempotency_in_progress" && this.#transport.hasCredential ? startedBefore(refused) : undefined;
      if (earlier === undefined)
        throw refused;
      return earlier;
    });
  }
  async#ask(prefer) {
    const response = await this.#transport.ask(...await this.#request(prefer));
    if (response.status !== 405 || this.#method === "GET" || response.headers.get("allow") !== "GET")
      return response;
    this.#method = "GET";
    return await this.#transport.ask(...await this.#request(prefer));
  }
  async#request(prefer) {
    const { signal, stdin } = this.#options;
    const headers = { Accept: "application/json", "Idempotency-Key": this.#key, ...prefer };
    if (stdin !== undefined) {
      const body = typeof stdin === "string" ? new TextEncoder().encode(stdin) : stdin;
      const more = { "Content-Type": "application/octet-stream", "Content-Digest": await digestOf(body) };
      return [
        this.#path + queryOf(this.#values),
        { method: "POST", headers: { ...headers, ...more }, body, signal }
      ];
    }
    if (this.#method === "GET")
      return [this.#path + queryOf(this.#values), { headers, signal }];
    const json = { ...headers, "Content-Type": "application/json" };
    return [this.#path, { method: "POST", headers: json, body: JSON.stringify(this.#values), signal }];
  }
  async#answered(response) {
    let body;
    try {
      body = await response.json();
    } catch (error) {
      this.#options.signal?.throwIfAborted();
      throw new ConnectionError(`the answer of ${this.#path} is not complete`, { cause: error });
    }
    if (response.status !== 202)
      return { kind: "result", result: body };
    const pending = body;
    if (pending.status === "pending_approval")
      this.#reportApproval(pending);
    const started = body;
    const path = streamPathOf(started);
    if (path === undefined)
      throw new ApiError(pending.message ?? "the call started nothing", {
        status: response.status,
        code: "ignored",
        details: {}
      });
    return { kind: "started", streamPath: path, started };
  }
  #reportApproval(approval) {
    const { onApproval } = this.#options;
    if (onApproval === undefined)
      throw new ApprovalPending(approval);
    if (this.#knownApproval === approval.approval_id)
      return;
    this.#knownApproval = approval.approval_id;
    onApproval(approval);
  }
}
function callPath(target, username) {
  const parts = (target.includes("/") ? target : `${username ?? ""}/${target}`).split("/");
  const [owner = "", slug = ""] = parts;
  if (parts.length !== 2 || owner === "" || slug === "")
    throw new TypeError(`endpoint "${target}": write username/name, or give the client a username`);
  return `/v1/${encodeURIComponent(owner)}/${encodeURIComponent(slug)}`;
}
function startedBefore({ executionId, runId }) {
  const ids = { execution_id: executionId, run_id: runId };
  const streamPath = streamPathOf(ids);
  if (streamPath === undefined)
    return;
  const links = { status_url: streamPath.replace(/\/stream$/, ""), stream_url: streamPath };
  return { kind: "started", streamPath, started: { ...ids, status: "running", ...links } };
}
function streamPathOf({
  execution_id: id,
  run_id: runId,
  stream_url: url
}) {
  const query = url?.includes("?") ? url.slice(url.indexOf("?")) : "";
  if (runId !== undefined)
    return `/pipeline-runs/${encodeURIComponent(runId)}/stream${query}`;
  return id === undefined ? undefined : `/executions/${encodeURIComponent(id)}/stream${query}`;
}
function queryOf(values) {
  const query = new URLSearchParams;
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined)
      continue;
    for (const item of Array.isArray(value) ? value : [value]) {
      if (typeof item === "object" && item !== null)
        throw new TypeError(`${name}: a query has only text values`);
      query.append(name, String(item));
    }
  }
  const text = query.toString();
  return text === "" ? "" : `?${text}`;
}
async function digestOf(body) {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", body));
  return `sha-256=:${btoa(String.fromCharCode(...digest))}:`;
}

// clients/typescript/src/event-decoder.ts
var MAX_EVENT_CHARS = 16 * 1024 * 1024;

class EventDecoder {
  #decoder = new TextDecoder;
  #rest = "";
  push(chunk) {
    this.#rest += this.#decoder.decode(chunk, { stream: true });
    if (!this.#rest.includes(`

`) && this.#rest.length <= MAX_EVENT_CHARS)
      return [];
    const blocks = this.#rest.split(`

`);
    this.#rest = blocks.pop() ?? "";
    if (this.#rest.length > MAX_EVENT_CHARS)
      throw new Error("an event of the stream is too long");
    return blocks.flatMap(eventOf);
  }
}
function eventOf(block) {
  let id;
  const data = [];
  for (const line of block.split(`
`)) {
    if (line.startsWith("id:"))
      id = fieldValue(line, 3);
    else if (line.startsWith("data:"))
      data.push(fieldValue(line, 5));
  }
  return data.length === 0 ? [] : [{ id, data: data.join(`
`) }];
}
function fieldValue(line, from) {
  return line.slice(line[from] === " " ? from + 1 : from);
}

// clients/typescript/src/transport.ts
var DEFAULT_RETRIES = 5;
var FIRST_PAUSE_MS = 250;
var MAX_PAUSE_MS = 1e4;
var MAX_RETRY_AFTER_SEC = 60;
var PERMANENT_REDIRECT = 308;
var REDIRECTS = [301, 302, 303, 307, PERMANENT_REDIRECT];

class Transport {
  username;
  maxRetries;
  #base;
  #fetch;
  #credential;
  constructor(options) {
    this.#base = new URL(options.baseUrl).href.replace(/\/+$/, "");
    this.username = options.username;
    this.maxRetries = options.maxRetries ?? DEFAULT_RETRIES;
    this.#fetch = options.fetch ?? ((url, init) => fetch(url, init));
    this.#credential = options.apiKey !== undefined ? { "X-API-Key": options.apiKey } : options.accessToken !== undefined ? { Authorization: `Bearer ${options.accessToken}` } : {};
  }
  get hasCredential() {
    return Object.keys(this.#credential).length > 0;
  }
  async ask(path, request) {
    const url = this.#base + path;
    const answer = await this.#send(url, request);
    if (!isRedirect(answer))
      return answer;
    const target = targetOf(url, answer);
    await answer.body?.cancel();
    const followed = await this.#send(target, request);
    if (isRedirect(followed))
      throw new SvcError(`${url} redirects to ${target}, which redirects again`);
    return followed;
  }
  async#send(url, { method = "GET", headers, body, signal }) {
    try {
      return await this.#fetch(url, {
        method,
        headers: { ...this.#credential, ...headers },
        redirect: "manual",
        ...body === undefined ? {} : { body },
        ...signal === undefined ? {} : { signal }
      });
    } catch (error) {
      signal?.throwIfAborted();
      throw new ConnectionError(`${method} ${url} failed: ${messageOf(error)}`, { cause: error });
    }
  }
  async json(path, request = {}) {
    return await this.retried(request.signal, async () => {
      const response = await this.ask(path, {
        ...request,
        headers: { Accept: "application/json", ...request.headers }
      });
      if (!response.ok)
        throw await apiErrorOf(response);
      try {
        return await response.json();
      } catch (error) {
        request.signal?.throwIfAborted();
        throw new ConnectionError(`the answer of ${path} is no whole JSON`, { cause: error });
      }
    });
  }
  async retried(signal, attempt) {
    for (let failures = 0;; failures += 1) {
      try {
        return await attempt();
      } catch (error) {
        if (failures >= this.maxRetries)
          throw error;
        await this.pauseAfter(error, failures, signal);
      }
    }
  }
  async pauseAfter(error, failures, signal) {
    if (!mayPass(error))
      throw error;
    const asked = error.retryAfterSec;
    const own = Math.min(FIRST_PAUSE_MS * 2 ** failures, MAX_PAUSE_MS) * (0.5 + Math.random() / 2);
    await pause(asked === undefined ? own : asked * 1000, signal);
  }
}
function isRedirect({ status, type }) {
  return type === "opaqueredirect" || REDIRECTS.includes(status);
}
function targetOf(url, { status, type, headers }) {
  if (type === "opaqueredirect")
    throw new SvcError(`${url} redirects, and a browser does not say where: use the present username`);
  const { origin } = new URL(url);
  const location = headers.get("location") ?? "";
  const target = URL.canParse(location, url) ? new URL(location, url) : undefined;
  if (status !== PERMANENT_REDIRECT || target?.origin !== origin)
    throw new SvcError(`${url} redirects to "${location}" with ${status}: only 308 at ${origin} is followed`);
  return origin + target.pathname + target.search;
}
function mayPass(error) {
  if (error instanceof ConnectionError)
    return true;
  const { status, code, retryAfterSec = 0 } = error;
  if (code === "idempotency_in_progress")
    return true;
  if (status === 429)
    return code !== "quota_exceeded" && retryAfterSec <= MAX_RETRY_AFTER_SEC;
  return status === 503 || (status === 502 || status === 504) && code === "unknown";
}
function pause(ms, signal) {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", abort);
      resolve();
    }, ms);
    signal?.addEventListener("abort", abort, { once: true });
  });
}
function messageOf(error) {
  return error instanceof Error ? error.message : String(error);
}

// clients/typescript/src/client.ts
class SvcClient {
  #transport;
  constructor(options) {
    this.#transport = new Transport(options);
  }
  async call(target, values = {}, options = {}) {
    const request = new CallRequest(this.#transport, target, values, options);
    for (;; ) {
      const answer = await request.send();
      if (answer.kind === "result") {
        if (options.check && answer.result.exit_code !== 0)
          throw new CommandFailed(answer.result);
        return answer.result;
      }
      for await (const event of this.#events(answer.streamPath, options))
        ;
    }
  }
  async start(target, values = {}, options = {}) {
    const request = new CallRequest(this.#transport, target, values, options);
    const answer = await request.send({ Prefer: "respond-async" });
    if (answer.kind === "started")
      return answer.started;
    return startedOf(answer.result);
  }
  async* stream(target, values = {}, options = {}) {
    const started = await this.start(target, values, options);
    yield* this.follow(started, options);
  }
  async* follow(started, options = {}) {
    const path = streamPathOf(typeof started === "string" ? { execution_id: started } : started);
    if (path === undefined)
      throw new TypeError("follow: an execution or a run expected");
    yield* this.#events(path, options);
  }
  async execution(id) {
    return await this.#transport.json(`/executions/${encodeURIComponent(id)}`);
  }
  executions(filter = {}) {
    return this.#items("/executions", { ...filter });
  }
  async cancel(id) {
    return await this.#transport.json(`/executions/${encodeURIComponent(id)}/cancel`, { method: "POST" });
  }
  list(username = this.#transport.username) {
    if (username === undefined)
      throw new TypeError("list: a username expected");
    return this.#items(`/v1/${encodeURIComponent(username)}`, {});
  }
  async* #items(path, query) {
    let cursor;
    do {
      const page = await this.#transport.json(path + queryOf({ ...query, cursor }));
      yield* page.items;
      cursor = page.next_cursor ?? undefined;
    } while (cursor !== undefined);
  }
  async* #events(path, { after, signal }) {
    let last = after;
    for (let failures = 0;; failures += 1) {
      let lost;
      try {
        const headers = {
          Accept: "text/event-stream",
          ...last === undefined ? {} : { "Last-Event-ID": last }
        };
        const response = await this.#transport.ask(path, { headers, signal });
        if (response.status === 204)
          return;
        if (!response.ok)
          throw await apiErrorOf(response);
        for await (const event of eventsOf(response)) {
          failures = 0;
          if (event === undefined)
            continue;
          if (event.id !== "")
            last = event.id;
          if (event.type === "error" && event.code === "still_running" && event.step === undefined)
            break;
          yield event;
          if (event.step === undefined && (event.type === "done" || event.type === "error"))
            return;
        }
        lost = new ConnectionError("the stream ended before the command did");
      } catch (error) {
        signal?.throwIfAborted();
        lost = error;
      }
      if (failures >= this.#transport.maxRetries)
        throw lost;
      await this.#transport.pauseAfter(lost, failures, signal);
    }
  }
}
var KNOWN = new Set(["output", "transformed_output", "done", "error"]);
async function* eventsOf({ body, headers }) {
  if (body === null)
    return;
  if (!headers.get("content-type")?.startsWith("text/event-stream")) {
    await body.cancel().catch(() => {
      return;
    });
    throw new ConnectionError("the answer is no event stream");
  }
  const decoder = new EventDecoder;
  const reader = body.getReader();
  try {
    for (;; ) {
      const { value, done } = await read(reader);
      if (done)
        return;
      yield undefined;
      for (const { id = "", data } of decoder.push(value)) {
        const event = JSON.parse(data);
        if (KNOWN.has(event.type))
          yield { id, ...event };
      }
    }
  } finally {
    await reader.cancel().catch(() => {
      return;
    });
  }
}
async function read(reader) {
  try {
    return await reader.read();
  } catch (error) {
    throw new ConnectionError("the stream broke off", { cause: error });
  }
}
function startedOf(result) {
  const url = (ids) => {
    const stream = streamPathOf(ids) ?? "";
    return { status_url: stream.replace(/\/stream$/, ""), stream_url: stream };
  };
  if ("run_id" in result) {
    const { run_id, status } = result;
    return { run_id, status, ...url({ run_id }) };
  }
  const { execution_id } = result;
  const status = result.exit_code === 0 ? "succeeded" : "failed";
  return { execution_id, status, ...url({ execution_id }) };
}

// clients/github-action/main.ts
var MAX_OUTPUT_CHARS = 64 * 1024;
function input(name) {
  return (process.env[`INPUT_${name.toUpperCase()}`] ?? "").trim();
}
function required(name) {
  const value = input(name);
  if (value === "")
    throw new Error(`the input ${name} is missing`);
  return value;
}
function readValues(text) {
  if (text.startsWith("{"))
    return JSON.parse(text);
  const values = new Map;
  for (const line of text.split(`
`).filter((one) => one.trim() !== "")) {
    const at = line.indexOf("=");
    if (at < 1)
      throw new Error(`args: name=value expected, not "${line}"`);
    const name = line.slice(0, at).trim();
    if (values.has(name))
      throw new Error(`args: ${name} is there twice; a value of several lines needs the JSON object`);
    values.set(name, line.slice(at + 1));
  }
  return Object.fromEntries(values);
}
function setOutput(name, value) {
  const file = process.env.GITHUB_OUTPUT;
  if (file === undefined)
    return;
  const border = crypto.randomUUID();
  appendFileSync(file, `${name}<<${border}
${value}
${border}
`);
}
function textOf2(event) {
  if (event.type === "transformed_output")
    return JSON.stringify(event.data);
  if (event.type !== "output")
    return;
  const text = event.encoding === "base64" ? `(${event.data.length} characters of base64)` : event.data;
  return event.step === undefined ? text : `${event.step}: ${text}`;
}
function oneLine(text) {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll(`
`, "%0A");
}
async function main() {
  const apiKey = required("api-key");
  console.log(`::add-mask::${oneLine(apiKey)}`);
  const key = input("idempotency-key");
  const svc = new SvcClient({ baseUrl: required("base-url"), apiKey });
  const started = await svc.start(required("endpoint"), readValues(input("args")), {
    ...key === "" ? {} : { idempotencyKey: key },
    onApproval: ({ approval_id: id }) => console.log(`waits for approval ${id}`)
  });
  setOutput("execution-id", "run_id" in started ? started.run_id : started.execution_id);
  const border = crypto.randomUUID();
  let output = "";
  let end;
  console.log(`::stop-commands::${border}`);
  try {
    for await (const event of svc.follow(started)) {
      end = event;
      const text = textOf2(event);
      if (text === undefined)
        continue;
      console.log(text);
      if (output.length < MAX_OUTPUT_CHARS)
        output += `${text}
`;
    }
  } finally {
    console.log(`::${border}::`);
  }
  setOutput("output", output.slice(0, MAX_OUTPUT_CHARS).trimEnd());
  if (end?.type === "done") {
    setOutput("exit-code", String(end.exit_code));
    if (end.exit_code !== 0)
      console.log(`::error::the command ended with exit code ${end.exit_code}`);
    return end.exit_code === 0 ? 0 : 1;
  }
  throw new Error(end?.type === "error" ? end.error : "the stream has no end");
}
process.exitCode = await main().catch((error) => {
  console.log(`::error::${oneLine(error instanceof Error ? error.message : String(error))}`);
  return 1;
});
