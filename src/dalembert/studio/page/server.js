/* Questions to the server. A channel has one question on its way; a newer one takes the place of one that waits. */
const stored = sessionStorage.getItem("dalembert-tab");
export const tab = stored || crypto.randomUUID();
sessionStorage.setItem("dalembert-tab", tab);

export async function api(method, path, body) {
  let answer;
  try {
    answer = await fetch(path, { method, headers: body ? { "content-type": "application/json" } : {}, body: body ? JSON.stringify(body) : undefined });
  } catch {
    return { error: "The studio does not answer. Is it still running? Your text is kept in this page.", lost: true };
  }
  try {
    return { ...(await answer.json()), status: answer.status };
  } catch {
    return { error: `The studio answered with ${answer.status}.`, status: answer.status };
  }
}

export class Channel {
  constructor(name, report) { this.name = name; this.report = report; this.waiting = new Map(); this.running = null; }
  /* kill: milliseconds after which a question on its way is stopped in favour of this one; none: it is waited for. */
  ask(job, args, { kill = null } = {}) {
    return new Promise(done => {
      const old = this.waiting.get(job);
      if (old) old.done({ superseded: true });
      this.waiting.set(job, { args, done });
      if (this.running && kill !== null) {
        const running = this.running;
        setTimeout(() => { if (this.running === running && this.waiting.size) this.stop(); }, Math.max(0, kill - (Date.now() - running.since)));
      }
      this.pump();
    });
  }
  async pump() {
    if (this.running || !this.waiting.size) return;
    const [job, { args, done }] = this.waiting.entries().next().value;
    this.waiting.delete(job);
    this.running = { job, since: Date.now() };
    this.report();
    const found = await api("POST", "/api/ask", { tab, channel: this.name, job, arguments: args });
    this.running = null;
    this.report();
    done(found);
    this.pump();
  }
  stop() { return api("POST", "/api/stop", { tab, channel: this.name }); }
}

export async function download(args) {
  const answer = await fetch("/api/export", { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ tab, arguments: args }) }).catch(() => null);
  if (!answer) return { error: "The studio does not answer." };
  if ((answer.headers.get("content-type") || "").startsWith("application/json")) return answer.json();
  const link = document.createElement("a");
  link.href = URL.createObjectURL(await answer.blob());
  link.download = answer.headers.get("x-name") || "machine";
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  return { name: link.download };
}
