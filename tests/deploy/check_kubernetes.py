"""check_kubernetes.py SOURCE_DIR: docker/kubernetes/*.yaml are what Kubernetes would take, as far as can be told without one.

With the package kubernetes-validate every object of Kubernetes is held against the published schema, with jsonschema every
object of KEDA against KEDA's (tests/deploy/keda), and unknown fields are errors. Ours are checked everywhere: each object has
a kind, a name and our namespace, selectors select the pods beside them, what is mounted is there, what is referred to exists,
commands are our programs with flags that they have, and images have the project's version as their tag, of which Kubernetes
pulls only what a node lacks: it would pull `latest` from a registry.
"""

import glob
import json
import os
import re
import sys

import yaml

PROGRAMS = {"ontime-master", "ontime-worker", "ontime-health", "ontime", "sleep"}
DRAIN_SECONDS = 30  # the worker's --drain-timeout
SOURCE = sys.argv[1]
with open(os.path.join(SOURCE, "CMakeLists.txt")) as cmake:
    IMAGE = "ontime:" + re.search(r"^project\(ontime VERSION ([0-9.]+)", cmake.read(), re.M).group(1)
wrong = []


def expect(holds, where, what):
    if not holds:
        wrong.append(f"{where}: {what}")


def objects(folder):
    for path in sorted(glob.glob(f"{folder}/*.yaml")):
        with open(path) as file:
            for one in yaml.safe_load_all(file):
                yield os.path.basename(path), one


def pod_of(one):
    return one["spec"] if one["kind"] == "Pod" else one["spec"].get("template", {}).get("spec")


def labels_of(one):
    metadata = one["metadata"] if one["kind"] == "Pod" else one["spec"].get("template", {}).get("metadata", {})
    return metadata.get("labels", {})


def check_pod(where, one, claims):
    pod = pod_of(one)
    volumes = {volume["name"] for volume in pod.get("volumes", [])}
    volumes |= {claim["metadata"]["name"] for claim in one["spec"].get("volumeClaimTemplates", [])}
    for volume in pod.get("volumes", []):
        claim = volume.get("persistentVolumeClaim", {}).get("claimName")
        expect(claim is None or claim in claims, where, f"there is no claim {claim}")
    expect(pod.get("securityContext", {}).get("runAsNonRoot") is True, where, "it may run as root")
    for container in pod["containers"]:
        if container["command"][0] == "ontime-worker":
            grace = pod.get("terminationGracePeriodSeconds", 30)
            expect(grace > DRAIN_SECONDS, where, "it is killed before it has handed over what it runs")
        expect(container["image"] == IMAGE, where, f"its image is not {IMAGE}")
        expect(container.get("imagePullPolicy") == "IfNotPresent", where, "it pulls an image that its node has")
        expect(container["command"][0] in PROGRAMS, where, f"there is no program {container['command'][0]}")
        for mount in container.get("volumeMounts", []):
            expect(mount["name"] in volumes, where, f"there is no volume {mount['name']}")


def flags_of(source):
    with open(os.path.join(source, "docs/flags.md")) as file:
        return set(re.findall(r"^\* `(--[a-z-]+)", file.read(), re.M))


def is_selected(selector, pods):
    return any(selector.items() <= labels.items() for labels in pods)


def check_scaled(where, one, rest):
    """A ScaledObject scales a Deployment of ours, a worker at a time, by what a Service of ours tells those it lets in."""
    names = {(other["kind"], other["metadata"]["name"]): other for _, other in rest}
    target = names.get(("Deployment", one["spec"]["scaleTargetRef"]["name"]))
    expect(target is not None, where, "it scales no Deployment")
    for trigger in one["spec"]["triggers"]:
        host, port = re.match(r"https://(\w+)\.ontime\.svc:(\d+)/api/nodes$", trigger["metadata"]["url"]).groups()
        service = names.get(("Service", host))
        ports = [each["port"] for each in service["spec"]["ports"]] if service else []
        expect(int(port) in ports, where, f"there is no service {host}:{port}")
        expect(("TriggerAuthentication", trigger["authenticationRef"]["name"]) in names, where, "its authentication is missing")
        command = pod_of(target)["containers"][0]["command"] if target else []
        slots = command[command.index("--slots") + 1] if "--slots" in command else None
        expect(trigger["metadata"]["targetValue"] == slots, where, f"a worker has {slots} slots")


def check_all(source):
    found = list(objects(os.path.join(source, "docker/kubernetes")))
    listed = next(one for _, one in found if one["kind"] == "Kustomization")["resources"]
    rest = [(where, one) for where, one in found if one["kind"] != "Kustomization"]
    claims = {one["metadata"]["name"] for _, one in rest if one["kind"] == "PersistentVolumeClaim"}
    pods = [labels_of(one) for _, one in rest if one["kind"] in ("Pod", "Deployment", "StatefulSet")]
    flags = flags_of(source)
    for name in listed:
        expect(any(where == name for where, _ in rest), "kustomization.yaml", f"there is no {name}")
    for where, one in rest:
        expect("apiVersion" in one and one["metadata"].get("name"), where, "it has no version or no name")
        expect(one["kind"] == "Namespace" or one["metadata"].get("namespace") == "ontime", where, "it is in no namespace")
        if one["kind"] == "ScaledObject":
            check_scaled(where, one, rest)
        if one["kind"] == "Service":
            expect(is_selected(one["spec"]["selector"], pods), where, "it selects no pod")
        if one["kind"] == "NetworkPolicy":
            expect(is_selected(one["spec"]["podSelector"]["matchLabels"], pods), where, "it selects no pod")
        if one["kind"] in ("Deployment", "StatefulSet"):
            expect(is_selected(one["spec"]["selector"]["matchLabels"], [labels_of(one)]), where, "it does not select its pods")
        if one["kind"] in ("Pod", "Deployment", "StatefulSet"):
            check_pod(where, one, claims)
            used = {word for container in pod_of(one)["containers"] for word in container["command"] if word.startswith("--")}
            expect(used <= flags, where, f"there are no flags {used - flags}")
    return rest


def is_of_keda(one):
    return one["apiVersion"].startswith("keda.sh/")


def strict(schema):
    """Objects have no other fields than those that the schema names."""
    if isinstance(schema, list):
        return [strict(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    made = {name: strict(each) for name, each in schema.items()}
    is_object = schema.get("type") == "object" and "properties" in schema
    if is_object and not schema.get("x-kubernetes-preserve-unknown-fields"):
        made.setdefault("additionalProperties", False)
    return made


def check_schema_of_keda(rest):
    try:
        import jsonschema
    except ImportError:
        return "KEDA's without their schema: jsonschema is not installed"
    for where, one in filter(lambda each: is_of_keda(each[1]), rest):
        with open(os.path.join(SOURCE, f"tests/deploy/keda/{one['kind']}.json")) as file:
            schema = strict(json.load(file))
        for error in jsonschema.Draft202012Validator(schema).iter_errors({**one, "metadata": {}}):
            wrong.append(f"{where}: {error.json_path}: {error.message}")
    return "KEDA's against its schema, strictly"


def check_schema(rest):
    try:
        import kubernetes_validate
    except ImportError:
        return "without the published schema: kubernetes-validate is not installed"
    for where, one in rest:
        if is_of_keda(one):
            continue
        try:
            kubernetes_validate.validate(one, "1.31", strict=True)
        except Exception as error:  # of several kinds, all of which say what is wrong
            wrong.append(f"{where}: {getattr(error, 'message', error)}")
    return "against the published schema of Kubernetes 1.31, strictly"


if __name__ == "__main__":
    rest = check_all(SOURCE)
    how = f"{check_schema(rest)}; {check_schema_of_keda(rest)}"
    print("\n".join(wrong) or f"{len(rest)} objects are right, {how}")
    sys.exit(1 if wrong else 0)
